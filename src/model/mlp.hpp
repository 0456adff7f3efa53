#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "layers/linear.hpp"

namespace qkvlab {

/// What the MLP computes on its way.
struct MlpForward {
  at::Tensor hidden;  // [B, T, ratio * C], after the GELU
  at::Tensor output;  // [B, T, C]
};

/// The feed-forward sublayer, fc_out(GELU(fc_in(x))) with the exact GELU, x Φ(x) (Hendrycks and
/// Gimpel 2016).
class MlpImpl : public torch::nn::Module {
 public:
  MlpImpl(int64_t width, int64_t hidden, bool bias, const InitialValues& initial);

  /// x [B, T, C] (or [R, B, T, C]).
  MlpForward forward(const at::Tensor& x) const;

  Linear fc_in{nullptr}, fc_out{nullptr};
};
TORCH_MODULE(Mlp);

}  // namespace qkvlab
