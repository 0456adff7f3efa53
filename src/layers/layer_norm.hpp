#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

namespace qkvlab {

/// Layer normalisation over the last dimension (ε = 1e-5, as PyTorch's), weight and optional bias
/// [width] or [R, width], starting at 1 and 0.
class LayerNormImpl : public torch::nn::Module {
 public:
  LayerNormImpl(int64_t width, bool with_bias);

  /// x [..., width] or [R, ..., width]; the same shape comes back.
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight, bias;
};
TORCH_MODULE(LayerNorm);

}  // namespace qkvlab
