#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "attention/attend.hpp"
#include "attention/projections.hpp"
#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "model/token_input.hpp"

namespace qkvlab {

struct SentimentTraceOptions {
  ProjectionPlan plan = attention_mode("full");
  int64_t vocabulary = 0;
  int64_t max_length = 0;  // tokens of the longest sentence
  int64_t classes = 2;
  int64_t width = 8;
  bool packed = false;
};

/// Everything the classifier computes for a batch, in order. Of mode `none` only x, context (which
/// then is x) and logits are defined.
struct SentimentForward {
  at::Tensor x;             // [B, T, C] token embedding + position
  QueryKeyValue projected;  // [B, T, C] each
  Attention attention;      // products, scores, weights [B, T, T]; context [B, T, C]
  at::Tensor logits;        // [B, K]
};

/// The sentence classifier whose every matrix fits on a screen: embedding and learned position, one
/// head of attention without residual, the mean over valid tokens, a linear head. Draws as the
/// equivalent PyTorch program: embedding, position, q, k, v, head.
class SentimentTraceImpl : public torch::nn::Module {
 public:
  SentimentTraceImpl(const SentimentTraceOptions& options, const InitialValues& initial);

  SentimentForward forward(const TokenInput& input) const;

  /// R, or 0 for a single model.
  int64_t replicas() const;

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
