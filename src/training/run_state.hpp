#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "training/evaluation.hpp"

namespace qkvlab {

enum class TrainingEnd { kCompleted, kDiverged, kInterrupted };

/// "completed", "diverged" or "interrupted", as `end` records say.
std::string status_name(TrainingEnd end);

/// Where one run of a group stands.
struct RunState {
  std::string batch_digest;             // of all batches so far, one after the other
  std::vector<Evaluation> evaluations;  // the latest of each split
  std::optional<TrainingEnd> end;       // it learns no more: completed, or diverged
  int64_t steps = 0;                    // taken until it ended
  std::string reason;  // why it diverged: the step, and the first tensor that was not finite
};

/// Where the training of a group stands between two steps, beside parameters, optimiser and random
/// streams.
struct TrainingState {
  int64_t step = 0;  // steps taken
  std::vector<RunState> runs;
};

}  // namespace qkvlab
