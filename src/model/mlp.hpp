#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "config/model_config.hpp"
#include "layers/linear.hpp"

namespace qkvlab {

/// What the MLP computes on its way; F is its hidden width.
struct MlpForward {
  at::Tensor preactivation;  // [B, T, F]
  at::Tensor hidden;         // [B, T, F], after the activation
  at::Tensor output;         // [B, T, C]
};

/// The feed-forward sublayer, fc_out(activation(fc_in(x))), with ReLU (Vaswani et al. 2017,
/// equation 2) or the exact GELU, x Φ(x) (Hendrycks and Gimpel 2016).
class MlpImpl : public torch::nn::Module {
 public:
  /// `exact`: see LinearOptions.
  MlpImpl(int64_t width, const MlpConfig& config, bool bias, bool exact,
          const InitialValues& initial);

  /// x [B, T, C] (or [R, B, T, C]).
  MlpForward forward(const at::Tensor& x) const;

  Linear fc_in{nullptr}, fc_out{nullptr};

 private:
  Activation activation_;
};
TORCH_MODULE(Mlp);

}  // namespace qkvlab
