#pragma once

#include <cstdint>
#include <string>

#include "model/model.hpp"
#include "random/random_source.hpp"
#include "training/optimizer.hpp"

namespace qkvlab {

/// What of a run a checkpoint holds tensors of.
struct RunTensors {
  ModelImpl& model;
  Optimizer& optimizer;
  const RandomSource& random;  // under `torch_stream` its state is kept too
};

/// Writes a safetensors file after step `step`: the parameters by their PyTorch-style paths, the
/// optimiser's state as "optimizer.<kind>.<path>", a stream's state as "random.stream". Returns a
/// digest of it all. Throws UserError where it cannot be written.
std::string save_tensors(const std::string& path, int64_t step, const RunTensors& run);

/// Reads such a file into a run. Throws UserError naming the first tensor that is missing, left
/// over, or of another shape or type, or where the numbers are not those of `digest`; then nothing
/// of the run has changed.
void restore_tensors(const std::string& path, int64_t step, const std::string& digest,
                     const RunTensors& run);

}  // namespace qkvlab
