#pragma once

#include <ATen/core/Tensor.h>

#include "layers/named_values.hpp"
#include "model/model.hpp"

namespace qkvlab {

/// The L2 norm of the gradient of every parameter by its path (packed projections apart): [] each,
/// or [R] with R replicas. A parameter without a gradient has norm 0.
NamedTensors gradient_norms(const ModelImpl& model);

/// The L2 norm over the gradients of all `parameters` of a model, as they are stored: [] for a
/// single model (`replicas` = 0), or [R]. One without a gradient counts as 0.
at::Tensor global_norm(const std::vector<at::Tensor>& parameters, int64_t replicas);

/// Scales the gradients so that their global norm, given as `norm`, is at most `limit`: by
/// min(1, limit / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_ does; each replica's by its own
/// norm.
void clip_gradients(const std::vector<at::Tensor>& parameters, const at::Tensor& norm,
                    double limit);

}  // namespace qkvlab
