// Which parameters each model has in each mode, how they start, and that each is counted and
// stepped once.
#include <map>
#include <set>

#include "layers/loss.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

using Counts = std::map<std::string, int64_t>;

/// What each mode learns, written out by hand.
const std::map<std::string, std::vector<std::string>>& learned_by_hand() {
  static const std::map<std::string, std::vector<std::string>> table = {
      {"full", {"q_proj", "k_proj", "v_proj"}},
      {"identity_qkv", {}},
      {"identity_qk", {"v_proj"}},
      {"identity_v", {"q_proj", "k_proj"}},
      {"uniform", {"v_proj"}},
      {"shared_qk", {"q_proj", "v_proj"}},
      {"shared_kv", {"q_proj", "k_proj"}},
      {"shared_qkv", {"q_proj"}},
      {"none", {}},
  };
  return table;
}

Counts counts_of(const torch::nn::Module& module) {
  Counts counts;
  for (const NamedValue& value : named_values(module)) {
    EXPECT_EQ(counts.count(value.path), 0u) << value.path << " twice";
    counts[value.path] = value.value.numel();
  }
  return counts;
}

int64_t sum_of(const Counts& counts) {
  int64_t sum = 0;
  for (const auto& [path, count] : counts) sum += count;
  return sum;
}

class EveryModesParameters : public EveryMode {};

TEST_P(EveryModesParameters, OfTheSentimentTraceAreThese) {
  ASSERT_EQ(learned_by_hand().count(plan().mode), 1u) << "the table lacks a mode";
  Counts expected = {
      {"position", 6 * 4}, {"embedding.weight", 7 * 4}, {"head.weight", 3 * 4}, {"head.bias", 3}};
  for (const std::string& name : learned_by_hand().at(plan().mode)) expected[name + ".weight"] = 16;
  for (const bool packed : {false, true}) {
    const auto model = make_model<SentimentTrace>(small_sentiment(plan(), packed), 1);
    EXPECT_EQ(counts_of(*model), expected);
    EXPECT_EQ(count_parameters(*model), sum_of(expected));
  }
}

TEST_P(EveryModesParameters, OfTheTransformerAreThese) {
  for (const bool tied : {true, false}) {
    Counts expected = {{"token_embedding.weight", 7 * 4},
                       {"position_embedding.weight", 6 * 4},
                       {"norm.weight", 4},
                       {"norm.bias", 4}};
    for (const std::string block : {"blocks.0.", "blocks.1."}) {
      if (plan().mode != "none") {
        expected[block + "norm1.weight"] = expected[block + "norm1.bias"] = 4;
        std::vector<std::string> linears = learned_by_hand().at(plan().mode);
        linears.emplace_back("out_proj");
        for (const std::string& name : linears) {
          expected[block + "attention." + name + ".weight"] = 16;
          expected[block + "attention." + name + ".bias"] = 4;
        }
      }
      expected[block + "norm2.weight"] = expected[block + "norm2.bias"] = 4;
      expected[block + "mlp.fc_in.weight"] = expected[block + "mlp.fc_out.weight"] = 12 * 4;
      expected[block + "mlp.fc_in.bias"] = 12;
      expected[block + "mlp.fc_out.bias"] = 4;
    }
    if (!tied) {
      expected["head.weight"] = 7 * 4;
      expected["head.bias"] = 7;
    }
    for (const bool packed : {false, true}) {
      TransformerOptions options = small_transformer(plan(), packed);
      options.tie_head = tied;
      const auto model = make_model<Transformer>(options, 1);
      EXPECT_EQ(counts_of(*model), expected);
      EXPECT_EQ(count_parameters(*model), sum_of(expected));
    }
  }
}

TEST_P(EveryModesParameters, WithoutBiasNoneHasABias) {
  TransformerOptions options = small_transformer(plan());
  options.bias = false;
  options.tie_head = false;
  for (const auto& [path, count] : counts_of(*make_model<Transformer>(options, 1))) {
    EXPECT_EQ(path.find("bias"), std::string::npos) << path;
  }
}

template <typename Model, typename Options>
void expect_shared_values(const Options& full, const Options& separate, const Options& packed) {
  const auto expected = named_values(*make_model<Model>(full, 5));
  for (const Options& options : {separate, packed}) {
    const auto model = make_model<Model>(options, 5);
    for (const NamedValue& value : named_values(*model)) {
      EXPECT_TRUE(same(value.value, value_at(expected, value.path))) << value.path;
    }
  }
  const auto stream = make_model<Model>(separate, 5, RandomScheme::kTorchStream);
  const auto stream_packed = make_model<Model>(packed, 5, RandomScheme::kTorchStream);
  for (const NamedValue& value : named_values(*stream_packed)) {
    EXPECT_TRUE(same(value.value, parameter(*stream, value.path))) << value.path;
  }
}

TEST_P(EveryModesParameters, StartAsThoseOfModeFullUnderKeyedRandomness) {
  const ProjectionPlan full = attention_mode("full");
  expect_shared_values<SentimentTrace>(small_sentiment(full), small_sentiment(plan()),
                                       small_sentiment(plan(), true));
  TransformerOptions untied = small_transformer(full), separate = small_transformer(plan()),
                     packed = small_transformer(plan(), true);
  untied.tie_head = false;  // a superset of the others' parameters
  expect_shared_values<Transformer>(untied, separate, packed);
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesParameters, all_modes(), mode_name);

TEST(Parameters, UnderTorchStreamStartAsLibTorchsModulesInOrderOfConstruction) {
  std::map<std::string, at::Tensor> expected;
  const auto add = [&](const std::string& path, const torch::nn::Module& module) {
    for (const auto& item : module.named_parameters()) expected[path + item.key()] = item.value();
  };
  torch::manual_seed(5);
  add("token_embedding.", *torch::nn::Embedding(7, 4));
  add("position_embedding.", *torch::nn::Embedding(6, 4));
  for (const std::string block : {"blocks.0.", "blocks.1."}) {
    for (const std::string name : {"q_proj.", "k_proj.", "v_proj.", "out_proj."}) {
      add(block + "attention." + name, *torch::nn::Linear(4, 4));
    }
    add(block + "mlp.fc_in.", *torch::nn::Linear(4, 12));
    add(block + "mlp.fc_out.", *torch::nn::Linear(12, 4));
  }
  add("head.", *torch::nn::Linear(4, 7));

  for (const bool packed : {false, true}) {
    TransformerOptions options = small_transformer(attention_mode("full"), packed);
    options.tie_head = false;
    const auto model = make_model<Transformer>(options, 5, RandomScheme::kTorchStream);
    size_t found = 0;
    for (const NamedValue& value : named_values(*model)) {
      if (value.path.find("norm") != std::string::npos) continue;
      ASSERT_EQ(expected.count(value.path), 1u) << value.path;
      EXPECT_TRUE(same(value.value, expected.at(value.path).detach())) << value.path;
      ++found;
    }
    EXPECT_EQ(found, expected.size());
  }
}

TEST(Parameters, ATiedHeadIsSteppedOnce) {
  constexpr double kRate = 0.3;
  const auto model = make_model<Transformer>(small_transformer(attention_mode("full")), 5);
  std::set<const void*> distinct;
  for (const at::Tensor& tensor : model->parameters()) distinct.insert(tensor.data_ptr());
  EXPECT_EQ(distinct.size(), model->parameters().size());

  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(kRate));
  const at::Tensor before = parameter(*model, "token_embedding.weight").clone();
  const at::Tensor tokens = whole_numbers(kVocabulary, {3, 5}, 1);
  cross_entropy(model->forward(input_of(tokens)).logits, whole_numbers(kVocabulary, {3, 5}, 2))
      .backward();
  at::Tensor gradient;
  for (const NamedValue& value : named_values(*model)) {
    if (value.path == "token_embedding.weight") gradient = value.gradient.clone();
  }
  optimizer.step();
  EXPECT_TRUE(near(parameter(*model, "token_embedding.weight") - before, gradient * -kRate));
  EXPECT_GT(largest(gradient), 1e-3);
}

TEST(Parameters, ATiedHeadNeedsAsManyOutputsAsTokens) {
  TransformerOptions options = small_transformer(attention_mode("full"));
  options.outputs = kVocabulary + 1;
  EXPECT_THROW(make_model<Transformer>(options, 1), c10::Error);
  options.tie_head = false;
  const auto model = make_model<Transformer>(options, 1);
  EXPECT_EQ(model->forward(input_of(whole_numbers(kVocabulary, {2, 3}, 1))).logits.sizes(),
            at::IntArrayRef({2, 3, kVocabulary + 1}));
}

}  // namespace
}  // namespace qkvlab
