#include "config/group_size.hpp"

#include <algorithm>
#include <cmath>

namespace qkvlab {

namespace {

/// What the runs of a group may hold together beside the program. Of small transformers (width 16
/// to 32, 12 to 16 tokens, 32 to 64 sequences: 0.7 to 2.2 MB each) 5 together take half to two
/// thirds of the CPU time of one by one, and 10 as much as 5; of the eight-sentence model 100 take
/// a run as long as 250 or 500 do (2 busy cores, 30 November 2026).
constexpr double kStackBytes = 16e6;
constexpr int64_t kMostReplicas = 256;

}  // namespace

MemoryUse group_memory(const ExperimentConfig& config, const TaskShape& shape, int64_t replicas) {
  MemoryUse use = peak_memory(config, shape);
  const auto files = static_cast<double>(shape.file_bytes);  // read once
  use.data -= files;
  for (const MemoryPart& part : memory_parts()) {
    if (part.bytes != &MemoryUse::process) use.*part.bytes *= static_cast<double>(replicas);
  }
  use.data += files;
  return use;
}

int64_t replicas_of_group(const ExperimentConfig& config, const TaskShape& shape) {
  // It exists to reproduce PyTorch programs to the last bit, which train one model.
  if (config.random.scheme == RandomScheme::kTorchStream) return 1;
  const double alone = group_memory(config, shape, 1).total();
  const double each = group_memory(config, shape, 2).total() - alone;
  const double limit = static_cast<double>(config.limits.memory_mb) * kMegabyte;
  const auto fit = [&](double bytes) { return static_cast<int64_t>(std::floor(bytes / each)); };
  const int64_t allowed = std::max<int64_t>(1, 1 + fit(limit - alone));
  const int64_t wanted =
      config.run.replicas.value_or(std::clamp<int64_t>(fit(kStackBytes), 1, kMostReplicas));
  return std::min(wanted, allowed);
}

}  // namespace qkvlab
