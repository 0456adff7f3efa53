#pragma once

#include <string>

#include "layers/named_values.hpp"
#include "model/sentiment_trace.hpp"
#include "model/transformer.hpp"
#include "support/tensors.hpp"

namespace qkvlab {

/// Small models that differ from the defaults wherever a mix-up of sizes could hide.
constexpr int64_t kVocabulary = 7;
constexpr int64_t kMaxLength = 6;

inline SentimentTraceOptions small_sentiment(const ProjectionPlan& plan, bool packed = false) {
  SentimentTraceOptions options;
  options.plan = plan;
  options.vocabulary = kVocabulary;
  options.max_length = kMaxLength;
  options.classes = 3;
  options.width = 4;
  options.packed = packed;
  return options;
}

inline TransformerOptions small_transformer(const ProjectionPlan& plan, bool packed = false) {
  TransformerOptions options;
  options.plan = plan;
  options.vocabulary = kVocabulary;
  options.max_length = kMaxLength;
  options.width = 4;
  options.layers = 2;
  options.heads = 2;
  options.mlp_ratio = 3;
  options.packed = packed;
  return options;
}

/// A model whose values belong to `seed`.
template <typename Model, typename Options>
Model make_model(const Options& options, uint64_t seed,
                 RandomScheme scheme = RandomScheme::kKeyed) {
  const RandomSource source(scheme, seed);
  return Model(options, InitialValues(source));
}

inline at::Tensor parameter(const torch::nn::Module& module, const std::string& path) {
  return value_at(named_values(module), path);
}

inline TokenInput input_of(const at::Tensor& tokens, const at::Tensor& valid = {}) {
  TokenInput input;
  input.tokens = tokens;
  input.valid = valid;
  return input;
}

}  // namespace qkvlab
