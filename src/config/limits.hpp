#pragma once

#include <cstdint>
#include <optional>

namespace qkvlab {

/// What a run may take. What would exceed it is refused before anything is allocated: attention
/// needs memory with the square of the sequence length, and an interface that lets any length
/// through is one that the kernel's out-of-memory killer guards.
struct Limits {
  int64_t tokens_per_sequence = 4096;
  int64_t tokens_per_batch = 1 << 20;
  int64_t memory_mb = 8192;       // predicted, of the whole process
  std::optional<double> seconds;  // of wall time; then the run is saved and ends as interrupted
};

}  // namespace qkvlab
