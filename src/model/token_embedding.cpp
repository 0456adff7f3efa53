#include "model/token_embedding.hpp"

#include <ATen/ATen.h>

#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "layers/replica_shape.hpp"

namespace qkvlab {

TokenEmbeddingImpl::TokenEmbeddingImpl(EmbeddingKind kind, int64_t vocabulary, int64_t width,
                                       bool with_bias, const InitialValues& initial)
    : kind_(kind) {
  if (kind == EmbeddingKind::kLookup) {
    weight = register_parameter("weight", initial.embedding("weight", vocabulary, width));
    return;
  }
  weight = register_parameter("weight", initial.linear_weight("weight", width, vocabulary));
  if (with_bias) bias = register_parameter("bias", initial.linear_bias("bias", width, vocabulary));
}

at::Tensor TokenEmbeddingImpl::forward(const at::Tensor& tokens) const {
  if (kind_ == EmbeddingKind::kLookup) return look_up(weight, tokens);
  at::Tensor one_hot = at::one_hot(tokens, weight.size(-1)).to(weight.scalar_type());  // [B, T, V]
  if (replicas() > 0 && tokens.dim() == 2) {
    one_hot = one_hot.expand({replicas(), -1, -1, -1});  // [R, B, T, V]
  }
  return apply_linear(one_hot, weight, bias);
}

at::Tensor TokenEmbeddingImpl::logits(const at::Tensor& x) const {
  return apply_linear(x, kind_ == EmbeddingKind::kLookup ? weight : weight.transpose(-2, -1));
}

int64_t TokenEmbeddingImpl::replicas() const { return replicas_of(weight, 2); }

}  // namespace qkvlab
