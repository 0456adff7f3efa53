#include "config/model_size.hpp"

namespace qkvlab {

namespace {

int64_t linear(int64_t in, int64_t out, bool bias) { return in * out + (bias ? out : 0); }

int64_t learned(const AttentionConfig& attention) {
  return static_cast<int64_t>(attention.plan.learned().size());
}

/// FLOPs for each token of QKᵀ and the weighted sum of values in one layer.
double product_flops(const AttentionConfig& attention, int64_t length, int64_t width) {
  return attention.plan.attends ? 4.0 * static_cast<double>(length * width) : 0;
}

double head_flops(int64_t width, const TaskShape& shape, bool once_a_sequence) {
  const double flops = 2.0 * static_cast<double>(width * shape.outputs);
  return once_a_sequence ? flops / static_cast<double>(shape.length) : flops;
}

ModelSize size_of(const TransformerConfig& model, const TaskShape& shape) {
  const int64_t c = model.d_model, layers = model.n_layers;
  const bool bias = model.bias, attends = model.attention.plan.attends;
  const int64_t projections = attends ? learned(model.attention) + 1 : 0;
  const int64_t hidden = model.mlp ? hidden_width(*model.mlp, c) : 0;
  const int64_t norms_of_block = (attends ? 1 : 0) + (model.mlp ? 1 : 0);
  const int64_t final_norm = model.norm == NormPlace::kPre ? 1 : 0;

  ModelSize size;
  size.token_embedding = shape.vocabulary * c;
  if (model.embedding == EmbeddingKind::kOneHot && bias) size.token_embedding += c;
  if (model.position == PositionKind::kLearned) size.position_embedding = model.max_length * c;
  size.attention = layers * projections * linear(c, c, bias);
  if (model.mlp) size.mlp = layers * (linear(c, hidden, bias) + linear(hidden, c, bias));
  size.norms = (layers * norms_of_block + final_norm) * (bias ? 2 * c : c);
  if (!model.tie_head) size.head = linear(c, shape.outputs, bias);

  const double weights = static_cast<double>(projections * c * c + 2 * c * hidden);
  const double products = product_flops(model.attention, shape.length, c);
  size.forward_flops = static_cast<double>(layers) * (2 * weights + products) +
                       head_flops(c, shape, /*once_a_sequence=*/!shape.per_token);
  return size;
}

ModelSize size_of(const SentimentTraceConfig& model, const TaskShape& shape) {
  const int64_t c = model.d_model;
  const int64_t projections = learned(model.attention);
  ModelSize size;
  size.token_embedding = shape.vocabulary * c;
  size.position_embedding = shape.length * c;
  size.attention = projections * linear(c, c, /*bias=*/false);
  size.head = linear(c, shape.outputs, /*bias=*/true);
  size.forward_flops = 2.0 * static_cast<double>(projections * c * c) +
                       product_flops(model.attention, shape.length, c) +
                       head_flops(c, shape, /*once_a_sequence=*/true);
  return size;
}

}  // namespace

ModelSize model_size(const ModelConfig& model, const TaskShape& shape) {
  return std::visit([&](const auto& typed) { return size_of(typed, shape); }, model);
}

}  // namespace qkvlab
