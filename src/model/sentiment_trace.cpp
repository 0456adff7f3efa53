#include "model/sentiment_trace.hpp"

#include <ATen/ATen.h>

#include "layers/replica_shape.hpp"

namespace qkvlab {

namespace {

constexpr double kPositionDeviation = 0.02;

/// The mean of context [B, T, C] over the valid tokens, 0 where there is none: [B, C].
at::Tensor mean_over_valid(const at::Tensor& context, const at::Tensor& valid) {
  if (!valid.defined()) return context.mean(-2);
  const at::Tensor sum = context.masked_fill(~valid.unsqueeze(-1), 0).sum(-2);
  return sum / valid.sum(-1, /*keepdim=*/true).clamp_min(1);
}

}  // namespace

SentimentTraceImpl::SentimentTraceImpl(const SentimentTraceOptions& options,
                                       const InitialValues& initial)
    : options_(options) {
  const int64_t width = options.width;
  embedding = register_module("embedding",
                              Embedding(options.vocabulary, width, initial.submodule("embedding")));
  position = register_parameter(
      "position", initial.normal("position", {1, options.max_length, width}, kPositionDeviation));
  if (options.plan.attends) {
    projections_.emplace(ProjectionOptions{options.plan, width, /*bias=*/false, options.packed},
                         *this, initial);
  }
  head = register_module("head", Linear(LinearOptions{width, options.classes, /*bias=*/true},
                                        initial.submodule("head")));
}

SentimentForward SentimentTraceImpl::forward(const TokenInput& input) const {
  TORCH_CHECK(input.tokens.size(-1) <= options_.max_length, "a sentence of ", input.tokens.size(-1),
              " tokens is longer than max_length ", options_.max_length);
  SentimentForward result;
  result.x = embedding->forward(input.tokens) + positions(input);  // [B, T, C]
  if (projections_) {
    const Mask mask = input.valid.defined() ? Mask::key_padding(input.valid) : Mask();
    result.projected = projections_->forward(result.x);
    result.attention =
        attend(result.projected.query, result.projected.key, result.projected.value, mask);
  } else {
    result.attention.context = result.x;
  }
  result.logits = head->forward(mean_over_valid(result.attention.context, input.valid));  // [B, K]
  return result;
}

at::Tensor SentimentTraceImpl::positions(const TokenInput& input) const {
  // Without padding every sentence has the same positions: broadcasting them is what the PyTorch
  // program does, and its gradient has the same last bit.
  if (!input.valid.defined()) return position.narrow(-2, 0, input.tokens.size(-1));  // [1, T, C]
  return look_up(position.squeeze(-3), position_ids(input.valid));                   // [B, T, C]
}

int64_t SentimentTraceImpl::replicas() const { return replicas_of(position, 3); }

}  // namespace qkvlab
