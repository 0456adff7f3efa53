#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "random/random_source.hpp"

namespace qkvlab {

/// The dropout draws of one forward pass in training: one source per replica (one alone for a
/// single model). A forward pass that is given none drops nothing.
struct DropoutStep {
  std::vector<RandomSource> sources;
  int64_t step = 0;
  int64_t micro_batch = 0;  // which of the forward passes whose gradients the step adds up
};

/// Zeroes each element of x with probability `p` and scales the others by 1/(1 - p), as
/// torch.nn.Dropout does. Returns x itself where `p` is 0 or `step` is null.
///
/// The mask of replica r is drawn by its own source for the purpose "dropout/<step>/<site>" (of a
/// later micro batch "dropout/<step>.<micro batch>/<site>"), so a replica's masks are those of the
/// single model with its seed. Under `torch_stream` it is drawn as torch.nn.Dropout draws it; under
/// `keyed` every element takes 32 bits of the generator, read as a signed number, and is kept where
/// that is among the lowest (1 - p) · 2³². These draws are the one thing that takes LibTorch calls
/// per replica.
at::Tensor dropout(const at::Tensor& x, double p, const std::string& site, const DropoutStep* step);

/// What dropout() multiplies an x of this shape by: 0 or 1/(1 - p) for each element. Undefined
/// where nothing is dropped.
at::Tensor dropout_factors(at::IntArrayRef shape, const at::TensorOptions& options, double p,
                           const std::string& site, const DropoutStep* step);

}  // namespace qkvlab
