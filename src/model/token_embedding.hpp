#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "config/model_config.hpp"
#include "random/initial_values.hpp"

namespace qkvlab {

/// Turns tokens into vectors, and may turn vectors into logits again.
///
/// kLookup: a table [V, C], as torch.nn.Embedding. kOneHot: a linear layer over one-hot tokens,
/// weight [C, V] and optional bias [C], by the very operations of
/// `nn.Linear(V, C)(F.one_hot(tokens, V).float())`; it differs from a table in how it starts and in
/// its bias. With replicas [R, …].
class TokenEmbeddingImpl : public torch::nn::Module {
 public:
  /// Draws the weight, then the bias. A table never has one.
  TokenEmbeddingImpl(EmbeddingKind kind, int64_t vocabulary, int64_t width, bool with_bias,
                     const InitialValues& initial);

  /// tokens (int64) [B, T], the same for all replicas, or [R, B, T], to [B, T, C] or [R, B, T, C].
  at::Tensor forward(const at::Tensor& tokens) const;

  /// A head tied to the embedding: x [..., C] times each token's vector, [..., V].
  at::Tensor logits(const at::Tensor& x) const;

  /// R, or 0 for a single model.
  int64_t replicas() const;

  at::Tensor weight, bias;

 private:
  EmbeddingKind kind_;
};
TORCH_MODULE(TokenEmbedding);

}  // namespace qkvlab
