#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "random/initial_values.hpp"

namespace qkvlab {

struct LinearOptions {
  int64_t in = 0;
  int64_t out = 0;
  bool bias = true;
  bool residual = false;  // writes into the residual stream, for which some schemes start smaller
  bool exact = true;      // of a single model: by LibTorch's own operations, to the last bit
};

/// y = x Wᵀ + b for W [out, in] or [R, out, in] and b [out] or [R, out].
class LinearImpl : public torch::nn::Module {
 public:
  /// Takes its values as they are: draw them from InitialValues, weight before bias. `bias` may be
  /// undefined.
  LinearImpl(at::Tensor initial_weight, at::Tensor initial_bias);
  LinearImpl(const LinearOptions& options, const InitialValues& initial);

  /// x [..., in] (or [R, ..., in]) to [..., out] (or [R, ..., out]).
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight, bias;  // bias undefined where the layer has none
  bool exact = true;        // see LinearOptions
};
TORCH_MODULE(Linear);

/// x Wᵀ + b with an optional replica dimension in W and b, as LinearImpl::forward; for weights that
/// belong to another layer (a head tied to the embedding).
at::Tensor apply_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {},
                        bool exact = true);

}  // namespace qkvlab
