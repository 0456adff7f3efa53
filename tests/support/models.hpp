#pragma once

#include <string>
#include <utility>
#include <vector>

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
  options.mlp->ratio = 3;
  options.packed = packed;
  return options;
}

/// Transformers that differ from `base` in one option each, and some in several.
inline std::vector<std::pair<std::string, TransformerOptions>> option_variants(
    const TransformerOptions& base) {
  std::vector<std::pair<std::string, TransformerOptions>> variants;
  const auto add = [&](const std::string& name, const auto& change) {
    variants.emplace_back(name, base);
    change(variants.back().second);
  };
  using Options = TransformerOptions;
  const auto one_hot = [](Options& o) { o.embedding = EmbeddingKind::kOneHot; };
  const auto post = [](Options& o) { o.norm = NormPlace::kPost; };
  const auto no_mlp = [](Options& o) { o.mlp.reset(); };
  const auto relu = [](Options& o) { o.mlp->activation = Activation::kRelu; };
  const auto no_position = [](Options& o) { o.position = PositionKind::kNone; };
  const auto no_bias = [](Options& o) { o.bias = false; };
  const auto untied = [](Options& o) { o.tie_head = false; };
  const auto last = [](Options& o) { o.output = OutputKind::kLast; };
  const auto mean = [](Options& o) { o.output = OutputKind::kMean; };
  const auto all = [](auto... changes) { return [=](Options& o) { (changes(o), ...); }; };
  add("one-hot", one_hot);
  add("post-norm", post);
  add("no MLP", no_mlp);
  add("ReLU", relu);
  add("no position", no_position);
  add("last", last);
  add("mean", mean);
  add("one-hot, no bias, untied", all(one_hot, no_bias, untied));
  add("post-norm, no MLP, untied, last", all(post, no_mlp, untied, last));
  add("no MLP, no position, no bias, mean", all(no_mlp, no_position, no_bias, mean));
  add("one-hot, post-norm, ReLU, no position, untied, mean",
      all(one_hot, post, relu, no_position, untied, mean));
  add("one-hot, post-norm, no MLP, no position, no bias",
      all(one_hot, post, no_mlp, no_position, no_bias));
  return variants;
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
