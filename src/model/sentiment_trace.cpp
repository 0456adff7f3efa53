#include "model/sentiment_trace.hpp"

#include <ATen/ATen.h>

#include "attention/short_attention.hpp"
#include "layers/replica_shape.hpp"
#include "model/pooling.hpp"

namespace qkvlab {

namespace {

constexpr double kPositionDeviation = 0.02;

}  // namespace

NamedTensors named_tensors(const SentimentForward& forward) {
  NamedTensors tensors;
  visit_defined(
      [&](const std::string& name, const at::Tensor& tensor) {
        tensors.emplace_back(name, tensor);
        return true;
      },
      "",
      {{"x", forward.x},
       {"q", forward.projected.query},
       {"k", forward.projected.key},
       {"v", forward.projected.value},
       {"scores", forward.attention.scores},
       {"attention", forward.attention.weights},
       {"context", forward.attention.context},
       {"logits", forward.logits},
       {"probabilities", at::softmax(forward.logits, -1)}});
  return tensors;
}

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

SentimentForward SentimentTraceImpl::forward(const TokenInput& input, Keep keep) const {
  TORCH_CHECK(input.tokens.size(-1) <= options_.max_length, "a sentence of ", input.tokens.size(-1),
              " tokens is longer than max_length ", options_.max_length);
  SentimentForward result;
  result.x = embedding->forward(input.tokens) + positions(input);  // [B, T, C]
  if (projections_) {
    const Mask mask = input.valid.defined() ? Mask::key_padding(input.valid) : Mask();
    result.projected = projections_->forward(result.x);
    if (keep == Keep::kLogits && !options_.exact && can_fuse(result.x)) {
      if (scores_are_zero(options_.plan))
        result.projected.query = result.projected.key = at::Tensor();
      result.attention.context = short_attention(result.projected, /*heads=*/1, mask);
    } else {
      result.attention =
          attend(result.projected.query, result.projected.key, result.projected.value, mask);
    }
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

at::Tensor SentimentTraceImpl::logits(const TokenInput& input, const at::Tensor& rows,
                                      const DropoutStep* /*dropout_step*/) const {
  TORCH_CHECK(!rows.defined(), "the classifier has one row of logits per sentence, not per token");
  return forward(input, Keep::kLogits).logits;
}

std::vector<at::Tensor> SentimentTraceImpl::attention_weights(const TokenInput& input) const {
  if (!projections_) return {};
  return {forward(input).attention.weights.unsqueeze(-3)};  // [B, 1, T, T]
}

void SentimentTraceImpl::visit_intermediates(const TokenInput& input, const at::Tensor& rows,
                                             const DropoutStep* /*dropout_step*/,
                                             const Visitor& visit) const {
  TORCH_CHECK(!rows.defined(), "the classifier has one row of logits per sentence, not per token");
  visit_defined(visit, "", named_tensors(forward(input)));
}

int64_t SentimentTraceImpl::replicas() const { return replicas_of(position, 3); }

}  // namespace qkvlab
