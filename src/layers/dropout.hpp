#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "random/random_source.hpp"

namespace qkvlab {

/// The dropout draws of one training step: one source per replica (one alone for a single model).
/// A forward pass that is given none drops nothing.
struct DropoutStep {
  std::vector<RandomSource> sources;
  int64_t step = 0;
};

/// Drawing masks is the one thing that takes LibTorch calls per replica: each has a stream of its
/// own.
///
/// Zeroes each element with probability `p` and scales the others by 1/(1 - p), as torch.nn.Dropout
/// does. The mask of replica r is drawn by its own source for the purpose "dropout/<step>/<site>",
/// so a replica's masks are those of the single model with its seed. Returns x itself where `p` is
/// 0 or `step` is null.
at::Tensor dropout(const at::Tensor& x, double p, const std::string& site, const DropoutStep* step);

}  // namespace qkvlab
