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
  norm2_ = register_module("norm2", LayerNorm(attention.width, attention.bias));
  mlp_ = register_module("mlp", Mlp(attention.width, options.mlp_ratio * attention.width,
                                    attention.bias, initial.submodule("mlp")));
}

BlockForward BlockImpl::forward(const at::Tensor& x, const Mask& mask,
                                const DropoutStep* dropout_step) const {
  const double p = options_.residual_dropout;
  BlockForward result;
  at::Tensor stream = x;  // [B, T, C]
  if (!attention_.is_empty()) {
    result.attention = attention_->forward(norm1_->forward(stream), mask, dropout_step);
    stream = stream + dropout(result.attention.output, p, path_ + "attention", dropout_step);
  }
  result.mlp = mlp_->forward(norm2_->forward(stream));
  result.output = stream + dropout(result.mlp.output, p, path_ + "mlp", dropout_step);
  return result;
}

}  // namespace qkvlab
