#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "layers/embedding.hpp"
#include "model/block.hpp"
#include "model/token_input.hpp"

namespace qkvlab {

struct TransformerOptions {
  ProjectionPlan plan = attention_mode("full");
  int64_t vocabulary = 0;  // V
  int64_t outputs = 0;     // logits per token; 0: as many as the vocabulary
  int64_t max_length = 128;
  int64_t width = 64;  // C
  int64_t layers = 2;
  int64_t heads = 2;
  int64_t mlp_ratio = 4;
  bool causal = true;    // false: an encoder
  bool tie_head = true;  // the head is the token embedding (no parameter of its own, no bias)
  bool bias = true;      // of every linear layer and norm
  bool packed = false;
  double attention_dropout = 0, residual_dropout = 0, embedding_dropout = 0;
};

/// Whether a forward pass hands out what every block computed on its way, or lets go of it as soon
/// as autograd does.
enum class Keep { kLogits, kEverything };

/// What the transformer computes on its way.
struct TransformerForward {
  at::Tensor x;                      // [B, T, C] token embedding + position, after dropout
  std::vector<BlockForward> blocks;  // empty unless everything is kept
  at::Tensor logits;                 // [B, T, V]
};

/// A pre-norm transformer over tokens with learned positions and logits for every token: a causal
/// language model, or an encoder where `causal` is false. Draws in the order token embedding,
/// position embedding, blocks, head.
class TransformerImpl : public torch::nn::Module {
 public:
  TransformerImpl(const TransformerOptions& options, const InitialValues& initial);

  /// Nothing is dropped where `dropout_step` is null. Padding is neither attended to nor counted in
  /// positions.
  TransformerForward forward(const TokenInput& input, const DropoutStep* dropout_step = nullptr,
                             Keep keep = Keep::kLogits) const;

  /// R, or 0 for a single model.
  int64_t replicas() const;

 private:
  at::Tensor embed(const TokenInput& input) const;
  Mask mask_for(const TokenInput& input) const;

  TransformerOptions options_;
  Embedding token_embedding_{nullptr}, position_embedding_{nullptr};
  std::vector<Block> blocks_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};  // empty when tied
};
TORCH_MODULE(Transformer);

}  // namespace qkvlab
