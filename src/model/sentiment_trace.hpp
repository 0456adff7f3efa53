#pragma once

#include <torch/nn/pimpl.h>

#include <optional>

#include "attention/attend.hpp"
#include "attention/projections.hpp"
#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "model/model.hpp"

namespace qkvlab {

struct SentimentTraceOptions {
  ProjectionPlan plan = attention_mode("full");
  int64_t vocabulary = 0;
  int64_t max_length = 0;  // tokens of the longest sentence
  int64_t classes = 2;
  int64_t width = 8;
  bool packed = false;
  bool exact = false;  // see SelfAttentionOptions
};

/// Everything the classifier computes for a batch, in order. Of mode `none` only x, context (which
/// then is x) and logits are defined; of a pass that keeps no more than the logits need, they and
/// the projections.
struct SentimentForward {
  at::Tensor x;             // [B, T, C] token embedding + position
  QueryKeyValue projected;  // [B, T, C] each
  Attention attention;      // products, scores, weights [B, T, T]; context [B, T, C]
  at::Tensor logits;        // [B, K]
};

/// What is defined of it, as records name it: x, q, k, v, scores, attention (the weights), context,
/// logits, probabilities.
NamedTensors named_tensors(const SentimentForward& forward);

/// The sentence classifier whose every matrix fits on a screen: embedding and learned position, one
/// head of attention without residual, the mean over valid tokens, a linear head. Draws as the
/// equivalent PyTorch program: embedding, position, q, k, v, head.
class SentimentTraceImpl : public ModelImpl {
 public:
  SentimentTraceImpl(const SentimentTraceOptions& options, const InitialValues& initial);

  SentimentForward forward(const TokenInput& input, Keep keep = Keep::kEverything) const;

  /// One row per sentence; the model has no dropout.
  at::Tensor logits(const TokenInput& input, const at::Tensor& rows,
                    const DropoutStep* dropout_step) const override;

  /// Of one layer with one head.
  std::vector<at::Tensor> attention_weights(const TokenInput& input) const override;

  void visit_intermediates(const TokenInput& input, const at::Tensor& rows,
                           const DropoutStep* dropout_step, const Visitor& visit) const override;

  int64_t replicas() const override;

  Embedding embedding{nullptr};
  at::Tensor position;  // [1, max_length, C] or [R, 1, max_length, C]
  Linear head{nullptr};

 private:
  at::Tensor positions(const TokenInput& input) const;

  SentimentTraceOptions options_;
  std::optional<Projections> projections_;  // none in mode `none`
};
TORCH_MODULE(SentimentTrace);

}  // namespace qkvlab
