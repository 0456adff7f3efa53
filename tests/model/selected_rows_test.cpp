// Logits of chosen tokens are those of all tokens, and no others are computed.
#include "model/replicas.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

class EveryModesRows : public EveryMode {};

TEST_P(EveryModesRows, AreThoseOfAllLogitsWithTheSameGradient) {
  const TokenInput input = input_of(whole_numbers(kVocabulary, {3, 5}, 1));
  const at::Tensor rows = at::tensor({14, 3, 3, 0}, at::kLong);
  TransformerOptions base = small_transformer(plan());
  auto variants = option_variants(base);
  variants.emplace_back("default", base);
  for (const auto& [name, options] : variants) {
    SCOPED_TRACE(name);
    auto model = make_model<Transformer>(options, 1);
    model->to(at::kDouble);
    if (options.output != OutputKind::kToken) {
      EXPECT_THROW(model->logits(input, rows, nullptr), c10::Error);
      continue;
    }
    const TransformerForward chosen = model->forward(input, nullptr, Keep::kLogits, rows);
    EXPECT_EQ(chosen.logits.sizes(), at::IntArrayRef({4, kVocabulary}));
    // What the last norm and the head work on.
    if (chosen.norm.defined()) {
      EXPECT_EQ(chosen.norm.sizes(), at::IntArrayRef({4, 4}));
    }
    EXPECT_LT(largest(model->logits(input, rows, nullptr) - chosen.logits), 1e-5);
    const at::Tensor expected =
        model->logits(input, {}, nullptr).view({-1, kVocabulary}).index_select(0, rows);
    EXPECT_TRUE(near(chosen.logits, expected, 1e-12));

    const at::Tensor weights = normal({4, kVocabulary}, 9, at::kDouble);
    (expected * weights).sum().backward();
    std::vector<at::Tensor> gradients;
    for (const NamedValue& value : named_values(*model)) {
      gradients.push_back(value.gradient.defined() ? value.gradient.clone() : at::Tensor());
    }
    model->zero_grad();
    (chosen.logits * weights).sum().backward();
    const auto values = named_values(*model);
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i].gradient.defined(), gradients[i].defined()) << values[i].path;
      if (!gradients[i].defined()) continue;
      EXPECT_TRUE(near(values[i].gradient, gradients[i], 1e-12)) << values[i].path;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesRows, all_modes(), mode_name);

TEST(Rows, OfReplicasAreEachReplicasOwnOrTheSame) {
  const TokenInput input = input_of(whole_numbers(kVocabulary, {3, 5}, 1));
  const TransformerOptions options = small_transformer(attention_mode("full"));
  const Transformer stacked = stack_replicas<Transformer>(
      {make_model<Transformer>(options, 1), make_model<Transformer>(options, 2)});
  const at::Tensor all = stacked->logits(input, {}, nullptr).view({2, 15, kVocabulary});
  const at::Tensor own = at::tensor({14, 3, 0, 7}, at::kLong).view({2, 2});
  EXPECT_TRUE(near(stacked->logits(input, own, nullptr),
                   at::stack({all[0].index_select(0, own[0]), all[1].index_select(0, own[1])})));
  EXPECT_TRUE(near(stacked->logits(input, own[0], nullptr), all.index_select(1, own[0])));
}

TEST(Rows, OfTheSentimentTraceAreRefused) {
  const auto model = make_model<SentimentTrace>(small_sentiment(attention_mode("full")), 1);
  const TokenInput input = input_of(whole_numbers(kVocabulary, {3, 5}, 1));
  EXPECT_LT(largest(model->logits(input, {}, nullptr) - model->forward(input).logits), 1e-5);
  EXPECT_THROW(model->logits(input, at::zeros({1}, at::kLong), nullptr), c10::Error);
}

}  // namespace
}  // namespace qkvlab
