// What models say they compute on their way: names, shapes, how one follows from another,
// gradients.
#include <map>

#include "model/replicas.hpp"
#include "support/finite_difference.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kExamples = 3, kWords = 5;

std::vector<std::string> names_of(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

std::map<std::string, at::Tensor> by_name(const NamedTensors& tensors) {
  std::map<std::string, at::Tensor> map(tensors.begin(), tensors.end());
  EXPECT_EQ(map.size(), tensors.size()) << "a name stands twice";
  return map;
}

TokenInput some_input() { return input_of(whole_numbers(kVocabulary, {kExamples, kWords}, 1)); }

TransformerOptions one_layer(const ProjectionPlan& plan) {
  TransformerOptions options = small_transformer(plan);
  options.layers = 1;
  return options;
}

TEST(Intermediates, OfTheTransformerHaveTheseNames) {
  TransformerOptions options = one_layer(attention_mode("full"));
  const std::vector<std::string> pre = {"x",
                                        "blocks.0.norm1",
                                        "blocks.0.attention.q",
                                        "blocks.0.attention.k",
                                        "blocks.0.attention.v",
                                        "blocks.0.attention.products",
                                        "blocks.0.attention.scores",
                                        "blocks.0.attention.attention",
                                        "blocks.0.attention.context",
                                        "blocks.0.attention.output",
                                        "blocks.0.residual1",
                                        "blocks.0.norm2",
                                        "blocks.0.mlp.preactivation",
                                        "blocks.0.mlp.hidden",
                                        "blocks.0.mlp.output",
                                        "blocks.0.residual2",
                                        "blocks.0.output",
                                        "norm",
                                        "logits",
                                        "probabilities"};
  EXPECT_EQ(names_of(make_model<Transformer>(options, 1)->intermediates(some_input())), pre);

  options.norm = NormPlace::kPost;
  options.mlp.reset();
  options.output = OutputKind::kMean;
  const std::vector<std::string> post = {"x",
                                         "blocks.0.attention.q",
                                         "blocks.0.attention.k",
                                         "blocks.0.attention.v",
                                         "blocks.0.attention.products",
                                         "blocks.0.attention.scores",
                                         "blocks.0.attention.attention",
                                         "blocks.0.attention.context",
                                         "blocks.0.attention.output",
                                         "blocks.0.residual1",
                                         "blocks.0.norm1",
                                         "blocks.0.output",
                                         "pooled",
                                         "logits",
                                         "probabilities"};
  EXPECT_EQ(names_of(make_model<Transformer>(options, 1)->intermediates(some_input())), post);

  options.plan = attention_mode("none");
  options.norm = NormPlace::kPre;
  const std::vector<std::string> empty = {"x",      "blocks.0.output", "norm",
                                          "pooled", "logits",          "probabilities"};
  EXPECT_EQ(names_of(make_model<Transformer>(options, 1)->intermediates(some_input())), empty);
}

TEST(Intermediates, OfTheSentimentTraceHaveTheNamesOfItsRecords) {
  const auto model = make_model<SentimentTrace>(small_sentiment(attention_mode("full")), 1);
  const std::vector<std::string> expected = {
      "x", "q", "k", "v", "scores", "attention", "context", "logits", "probabilities"};
  EXPECT_EQ(names_of(model->intermediates(some_input())), expected);
}

class EveryModesIntermediates : public EveryMode {};

TEST_P(EveryModesIntermediates, FollowFromOneAnother) {
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    TransformerOptions options = one_layer(plan());
    options.norm = norm;
    options.tie_head = false;
    const auto model = make_model<Transformer>(options, 1);
    auto found = by_name(model->intermediates(some_input()));
    const auto block = [&](const std::string& name) { return found.at("blocks.0." + name); };
    const bool pre = norm == NormPlace::kPre;
    at::Tensor stream = found.at("x");
    if (plan().attends) {
      const at::Tensor q = block("attention.q"), k = block("attention.k");
      ASSERT_EQ(q.sizes(), at::IntArrayRef({kExamples, 2, kWords, 2}));
      EXPECT_TRUE(near(block("attention.products"), at::einsum("bhid,bhjd->bhij", {q, k})));
      const at::Tensor later = at::ones({kWords, kWords}, at::kBool).triu(1);
      const at::Tensor scores = (block("attention.products") / std::sqrt(2.0))
                                    .masked_fill(later, -std::numeric_limits<double>::infinity());
      EXPECT_TRUE(near(block("attention.scores"), scores));
      EXPECT_TRUE(near(block("attention.attention"), scores.softmax(-1)));
      EXPECT_TRUE(near(
          block("attention.context"),
          at::einsum("bhij,bhjd->bhid", {block("attention.attention"), block("attention.v")})));
      EXPECT_TRUE(near(block("residual1"), stream + block("attention.output")));
      stream = pre ? block("residual1") : block("norm1");
    }
    EXPECT_TRUE(near(block("mlp.hidden"), at::gelu(block("mlp.preactivation"))));
    EXPECT_TRUE(near(block("residual2"), stream + block("mlp.output")));
    EXPECT_TRUE(same(block("output"), pre ? block("residual2") : block("norm2")));
    const at::Tensor normal_stream =
        at::layer_norm(pre ? block("output") : block("residual2"), {4}, {}, {}, 1e-5);
    EXPECT_TRUE(near(pre ? found.at("norm") : block("norm2"), normal_stream));
    EXPECT_TRUE(near(found.at("logits"), at::linear(normal_stream, parameter(*model, "head.weight"),
                                                    parameter(*model, "head.bias"))));
    EXPECT_TRUE(near(found.at("probabilities"), found.at("logits").softmax(-1)));
    // Which attends in one pass.
    EXPECT_LT(largest(found.at("logits") - model->forward(some_input()).logits), 1e-5);
  }
}

/// Every tensor that can retains its gradient; the softmax's derivative is checked by hand.
void expect_gradients(const ModelImpl& model, const std::string& path) {
  const auto found = by_name(model.intermediates(some_input()));
  for (const auto& [name, tensor] : found) {
    if (tensor.requires_grad()) tensor.retain_grad();
  }
  weighted_sum(found.at("logits")).backward();
  for (const auto& [name, tensor] : found) {
    // A zero query depends on nothing.
    if (name == "probabilities" || !tensor.requires_grad()) continue;
    ASSERT_TRUE(tensor.grad().defined()) << name;
  }
  EXPECT_TRUE(near(found.at("logits").grad(), normal(found.at("logits").sizes(), 77)));
  if (found.count(path + "scores") == 0) return;
  const at::Tensor scores = found.at(path + "scores");
  if (!scores.requires_grad()) return;
  const at::Tensor weights = found.at(path + "attention"), above = weights.grad();
  EXPECT_TRUE(near(scores.grad(), weights * (above - (above * weights).sum(-1, true))));
}

TEST_P(EveryModesIntermediates, RetainTheirGradients) {
  expect_gradients(*make_model<Transformer>(small_transformer(plan()), 1), "blocks.1.attention.");
  expect_gradients(*make_model<Transformer>(small_transformer(plan(), true), 1),
                   "blocks.1.attention.");
  expect_gradients(*make_model<SentimentTrace>(small_sentiment(plan()), 1), "");
}

template <typename Model, typename Options>
void expect_replicas_like_singles(const Options& options) {
  const std::vector<Model> singles = {make_model<Model>(options, 1), make_model<Model>(options, 2)};
  const Model stacked =
      stack_replicas<Model>({make_model<Model>(options, 1), make_model<Model>(options, 2)});
  const NamedTensors found = stacked->intermediates(some_input());
  const auto weights = stacked->attention_weights(some_input());
  for (size_t r = 0; r < singles.size(); ++r) {
    const NamedTensors expected = singles[r]->intermediates(some_input());
    ASSERT_EQ(names_of(found), names_of(expected));
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(near(found[i].second[static_cast<int64_t>(r)], expected[i].second, 1e-5))
          << expected[i].first;
    }
    const auto own = singles[r]->attention_weights(some_input());
    ASSERT_EQ(weights.size(), own.size());
    for (size_t i = 0; i < own.size(); ++i) {
      EXPECT_TRUE(near(weights[i][static_cast<int64_t>(r)], own[i]));
    }
  }
}

TEST_P(EveryModesIntermediates, OfReplicasAreThoseOfSingleModels) {
  expect_replicas_like_singles<Transformer>(small_transformer(plan()));
  expect_replicas_like_singles<SentimentTrace>(small_sentiment(plan()));
}

TEST_P(EveryModesIntermediates, AttentionWeightsAreThoseOfEveryLayer) {
  const auto transformer = make_model<Transformer>(small_transformer(plan()), 1);
  const auto found = by_name(transformer->intermediates(some_input()));
  const auto weights = transformer->attention_weights(some_input());
  const auto sentiment = make_model<SentimentTrace>(small_sentiment(plan()), 1);
  const auto of_sentiment = sentiment->attention_weights(some_input());
  ASSERT_EQ(weights.size(), plan().attends ? 2u : 0u);
  ASSERT_EQ(of_sentiment.size(), plan().attends ? 1u : 0u);
  for (size_t layer = 0; layer < weights.size(); ++layer) {
    const std::string path = "blocks." + std::to_string(layer) + ".attention.attention";
    EXPECT_TRUE(same(weights[layer], found.at(path)));
  }
  if (!plan().attends) return;
  ASSERT_EQ(of_sentiment[0].sizes(), at::IntArrayRef({kExamples, 1, kWords, kWords}));
  EXPECT_TRUE(
      same(of_sentiment[0].select(1, 0), sentiment->forward(some_input()).attention.weights));
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesIntermediates, all_modes(), mode_name);

}  // namespace
}  // namespace qkvlab
