#include "model/block.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

BlockImpl::BlockImpl(const BlockOptions& options, const InitialValues& initial)
    : options_(options), path_(initial.path()) {
  const SelfAttentionOptions& attention = options.attention;
  if (attention.plan.attends) {
    norm1_ = register_module("norm1", LayerNorm(attention.width, attention.bias));
    attention_ =
        register_module("attention", SelfAttention(attention, initial.submodule("attention")));
  }
  if (options.mlp) {
    norm2_ = register_module("norm2", LayerNorm(attention.width, attention.bias));
    mlp_ = register_module("mlp", Mlp(attention.width, *options.mlp, attention.bias,
                                      attention.exact, initial.submodule("mlp")));
  }
}

BlockForward BlockImpl::forward(const at::Tensor& x, const Mask& mask,
                                const DropoutStep* dropout_step, Keep keep) const {
  BlockForward result;
  result.output = x;  // [B, T, C]
  if (!attention_.is_empty()) add_attention(result, mask, dropout_step, keep);
  if (!mlp_.is_empty()) add_mlp(result, dropout_step);
  return result;
}

void BlockImpl::add_attention(BlockForward& result, const Mask& mask,
                              const DropoutStep* dropout_step, Keep keep) const {
  const bool pre = options_.norm == NormPlace::kPre;
  const at::Tensor x = result.output;
  if (pre) result.norm1 = norm1_->forward(x);
  result.attention = attention_->forward(pre ? result.norm1 : x, mask, dropout_step, keep);
  result.residual1 = x + dropout(result.attention.output, options_.residual_dropout,
                                 path_ + "attention", dropout_step);
  if (!pre) result.norm1 = norm1_->forward(result.residual1);
  result.output = pre ? result.residual1 : result.norm1;
}

void BlockImpl::add_mlp(BlockForward& result, const DropoutStep* dropout_step) const {
  const bool pre = options_.norm == NormPlace::kPre;
  const at::Tensor x = result.output;
  if (pre) result.norm2 = norm2_->forward(x);
  result.mlp = mlp_->forward(pre ? result.norm2 : x);
  result.residual2 =
      x + dropout(result.mlp.output, options_.residual_dropout, path_ + "mlp", dropout_step);
  if (!pre) result.norm2 = norm2_->forward(result.residual2);
  result.output = pre ? result.residual2 : result.norm2;
}

}  // namespace qkvlab
