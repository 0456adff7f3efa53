#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <optional>

#include "attention/self_attention.hpp"
#include "config/model_config.hpp"
#include "layers/layer_norm.hpp"
#include "model/mlp.hpp"

namespace qkvlab {

struct BlockOptions {
  SelfAttentionOptions
      attention;  // its plan may be of mode `none`; its width and bias are the block's
  std::optional<MlpConfig> mlp = MlpConfig{};  // nothing: no MLP
  NormPlace norm = NormPlace::kPre;
  double residual_dropout = 0;  // on what each sublayer adds
};

/// What one block computes on its way, [B, T, C] where nothing else is said; undefined where a
/// sublayer is left out, or not kept.
struct BlockForward {
  at::Tensor norm1;  // pre-norm: before `attention`; post-norm: of `residual1`
  SelfAttentionForward attention;
  at::Tensor residual1;  // the block's input and what attention adds to it
  at::Tensor norm2;      // pre-norm: before `mlp`; post-norm: of `residual2`
  MlpForward mlp;
  at::Tensor residual2;  // the MLP's sublayer's input and what the MLP adds to it
  at::Tensor output;     // what the next block gets: the last of the above, or the input itself
};

/// A transformer block: pre-norm (Radford et al. 2019), x + attention(norm1(x)), then
/// x + mlp(norm2(x)); or post-norm (Vaswani et al. 2017), norm1(x + attention(x)), then
/// norm2(x + mlp(x)). Mode `none` leaves the attention sublayer out with its norm, and so does a
/// block without MLP.
class BlockImpl : public torch::nn::Module {
 public:
  /// Draws the attention, then the MLP.
  BlockImpl(const BlockOptions& options, const InitialValues& initial);

  /// x [B, T, C] (or [R, B, T, C]); nothing is dropped where `dropout_step` is null.
  BlockForward forward(const at::Tensor& x, const Mask& mask,
                       const DropoutStep* dropout_step = nullptr,
                       Keep keep = Keep::kEverything) const;

 private:
  void add_attention(BlockForward& result, const Mask& mask, const DropoutStep* dropout_step,
                     Keep keep) const;
  void add_mlp(BlockForward& result, const DropoutStep* dropout_step) const;

  BlockOptions options_;
  std::string path_;  // names the sites of its dropout
  LayerNorm norm1_{nullptr}, norm2_{nullptr};
  SelfAttention attention_{nullptr};
  Mlp mlp_{nullptr};
};
TORCH_MODULE(Block);

}  // namespace qkvlab
