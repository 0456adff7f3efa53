#pragma once

#include <torch/nn/pimpl.h>

#include <optional>
#include <vector>

#include "layers/embedding.hpp"
#include "model/block.hpp"
#include "model/model.hpp"
#include "model/token_embedding.hpp"

namespace qkvlab {

struct TransformerOptions {
  ProjectionPlan plan = attention_mode("full");
  int64_t vocabulary = 0;  // V
  int64_t outputs = 0;     // K, logits of one row; 0: as many as the vocabulary
  int64_t max_length = 128;
  int64_t width = 64;  // C
  int64_t layers = 2;
  int64_t heads = 2;
  std::optional<MlpConfig> mlp = MlpConfig{};
  NormPlace norm = NormPlace::kPre;
  PositionKind position = PositionKind::kLearned;
  EmbeddingKind embedding = EmbeddingKind::kLookup;
  OutputKind output = OutputKind::kToken;  // not kAuto: there is no task to ask
  bool causal = true;                      // false: an encoder
  bool tie_head = true;  // the head is the token embedding (no parameter of its own, no bias)
  bool bias = true;      // of every linear layer and norm
  bool packed = false;
  bool exact = false;  // see SelfAttentionOptions
  double attention_dropout = 0, residual_dropout = 0, embedding_dropout = 0;
};

/// What the transformer computes on its way.
struct TransformerForward {
  at::Tensor x;                      // [B, T, C] token embedding + position, after dropout
  std::vector<BlockForward> blocks;  // empty unless everything is kept
  at::Tensor pooled;                 // [B, C] of a sequence, where it is that which has logits
  at::Tensor norm;    // [B, T, C], or of what the logits are wanted of; pre-norm only
  at::Tensor logits;  // [B, T, K]; [N, K] of chosen rows; [B, K] of sequences
};

/// A transformer over tokens: a causal language model, or an encoder where `causal` is false, with
/// logits for every token or for each sequence. With pre-norm blocks a last norm stands before the
/// head. Logits of the last token are computed of it alone; the mean is one over normalised tokens.
/// Draws in the order token embedding, position embedding, blocks, head.
///
/// The names of its intermediates: `x`; of every block (`blocks.0.` …) `norm1`, `attention.q`, `.k`
/// and `.v` [B, H, T, Dh], `attention.products`, `.scores` and `.attention` (the weights)
/// [B, H, T, T], `attention.context` [B, H, T, Dh], `attention.output`, `residual1`, `norm2`,
/// `mlp.preactivation`, `mlp.hidden`, `mlp.output`, `residual2` and `output` (see BlockForward;
/// post-norm computes norm1 after residual1, and norm2 after residual2); `norm`; `pooled` where
/// there are logits for sequences; `logits`, `probabilities`.
class TransformerImpl : public ModelImpl {
 public:
  TransformerImpl(const TransformerOptions& options, const InitialValues& initial);

  /// Nothing is dropped where `dropout_step` is null. Padding is neither attended to nor counted in
  /// positions. `rows` as logits() takes them.
  TransformerForward forward(const TokenInput& input, const DropoutStep* dropout_step = nullptr,
                             Keep keep = Keep::kLogits, const at::Tensor& rows = {}) const;

  at::Tensor logits(const TokenInput& input, const at::Tensor& rows,
                    const DropoutStep* dropout_step) const override;

  std::vector<at::Tensor> attention_weights(const TokenInput& input) const override;

  void visit_intermediates(const TokenInput& input, const at::Tensor& rows,
                           const DropoutStep* dropout_step, const Visitor& visit) const override;

  int64_t replicas() const override;

 private:
  void check_dropout(const DropoutStep* dropout_step) const;
  at::Tensor embed(const TokenInput& input) const;
  Mask mask_for(const TokenInput& input) const;
  /// From the last block's output [B, T, C] to the logits.
  void finish(TransformerForward& result, const at::Tensor& stream, const TokenInput& input,
              const at::Tensor& rows) const;

  TransformerOptions options_;
  TokenEmbedding token_embedding_{nullptr};
  Embedding position_embedding_{nullptr};  // empty without positions
  std::vector<Block> blocks_;
  LayerNorm norm_{nullptr};  // empty with post-norm blocks, which end in one
  Linear head_{nullptr};     // empty when tied
};
TORCH_MODULE(Transformer);

}  // namespace qkvlab
