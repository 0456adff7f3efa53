#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "random/random_source.hpp"
#include "training/optimizer.hpp"

namespace qkvlab {

/// What of a group of runs a checkpoint holds tensors of.
struct RunTensors {
  ModelImpl& model;
  Optimizer& optimizer;
  const std::vector<RandomSource>&
      random;  // each run's; under `torch_stream` their states are kept
};

/// Writes a safetensors file after step `step`: the parameters by their PyTorch-style paths, the
/// optimiser's state as "optimizer.<kind>.<path>", the streams' states as "random.stream"; those of
/// several replicas stacked. Returns a digest of it all. Throws UserError where it cannot be
/// written.
std::string save_tensors(const std::string& path, int64_t step, const RunTensors& run);

/// Reads such a file into a group. Throws UserError naming the first tensor that is missing, left
/// over, or of another shape or type, or where the numbers are not those of `digest`; then nothing
/// of the group has changed.
void restore_tensors(const std::string& path, int64_t step, const std::string& digest,
                     const RunTensors& run);

}  // namespace qkvlab
