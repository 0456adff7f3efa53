#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "attention/self_attention.hpp"
#include "layers/layer_norm.hpp"
#include "model/mlp.hpp"

namespace qkvlab {

struct BlockOptions {
  SelfAttentionOptions
      attention;          // its plan may be of mode `none`; its width and bias are the block's
  int64_t mlp_ratio = 4;  // hidden width of the MLP over the model width
  double residual_dropout = 0;  // on what each sublayer adds
};

/// What one block computes on its way.
struct BlockForward {
  SelfAttentionForward attention;  // undefined tensors in mode `none`
  MlpForward mlp;
  at::Tensor output;  // [B, T, C]
};

/// A pre-norm transformer block, x + attention(norm1(x)), then x + mlp(norm2(x)). Mode `none`
/// leaves the attention sublayer out with its norm.
class BlockImpl : public torch::nn::Module {
 public:
  /// Draws the attention, then the MLP.
  BlockImpl(const BlockOptions& options, const InitialValues& initial);

  /// x [B, T, C] (or [R, B, T, C]); nothing is dropped where `dropout_step` is null.
  BlockForward forward(const at::Tensor& x, const Mask& mask,
                       const DropoutStep* dropout_step = nullptr) const;

 private:
  BlockOptions options_;
  std::string path_;  // names the sites of its dropout
  LayerNorm norm1_{nullptr}, norm2_{nullptr};
  SelfAttention attention_{nullptr};
  Mlp mlp_{nullptr};
};
TORCH_MODULE(Block);

}  // namespace qkvlab
