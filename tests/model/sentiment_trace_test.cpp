#include "model/sentiment_trace.hpp"

#include "layers/loss.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

class EveryModesSentimentTrace : public EveryMode {};

TEST_P(EveryModesSentimentTrace, ClassifiesTheMeanOfTheContextOverValidTokens) {
  const auto model = make_model<SentimentTrace>(small_sentiment(plan()), 1);
  const at::Tensor tokens = whole_numbers(kVocabulary, {3, 5}, 1);
  const at::Tensor valid = bools({1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1}, {3, 5});
  const SentimentForward found = model->forward(input_of(tokens, valid));
  for (int64_t b = 0; b < 3; ++b) {
    at::Tensor sum = at::zeros({4});
    int64_t count = 0;
    for (int64_t t = 0; t < 5; ++t) {
      if (!valid[b][t].item<bool>()) continue;
      sum = sum + found.attention.context[b][t];
      ++count;
    }
    const at::Tensor logits =
        at::mv(parameter(*model, "head.weight"), sum / count) + parameter(*model, "head.bias");
    EXPECT_TRUE(near(found.logits[b], logits)) << b;
  }
}

TEST_P(EveryModesSentimentTrace, ASentenceWithoutValidTokensHasFiniteLogitsAndGradients) {
  const auto model = make_model<SentimentTrace>(small_sentiment(plan()), 1);
  const at::Tensor valid = bools({1, 1, 1, 0, 0, 0}, {2, 3});
  const SentimentForward found =
      model->forward(input_of(whole_numbers(kVocabulary, {2, 3}, 1), valid));
  EXPECT_TRUE(near(found.logits[1], parameter(*model, "head.bias")));
  cross_entropy(found.logits, at::tensor({0, 1}, at::kLong)).backward();
  for (const NamedValue& value : named_values(*model)) {
    if (!value.gradient.defined()) continue;
    EXPECT_TRUE(value.gradient.isfinite().all().item<bool>()) << value.path;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesSentimentTrace, all_modes(), mode_name);

TEST(SentimentTrace, InModeNoneTheContextIsTheInput) {
  const auto model = make_model<SentimentTrace>(small_sentiment(attention_mode("none")), 1);
  const SentimentForward found = model->forward(input_of(whole_numbers(kVocabulary, {2, 3}, 1)));
  EXPECT_TRUE(same(found.attention.context, found.x));
  EXPECT_FALSE(found.attention.weights.defined());
  EXPECT_FALSE(found.projected.query.defined());
}

TEST(SentimentTrace, AddsTokenAndPosition) {
  const auto model = make_model<SentimentTrace>(small_sentiment(attention_mode("full")), 1);
  const at::Tensor tokens = whole_numbers(kVocabulary, {2, 3}, 1);
  const at::Tensor x = model->forward(input_of(tokens)).x;
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t t = 0; t < 3; ++t) {
      const at::Tensor row = parameter(*model, "embedding.weight")[tokens[b][t].item<int64_t>()];
      EXPECT_TRUE(same(x[b][t], row + parameter(*model, "position")[0][t]));
    }
  }
}

TEST(SentimentTrace, AMaskOfAllTrueChangesNothing) {
  const auto model = make_model<SentimentTrace>(small_sentiment(attention_mode("full")), 1);
  const at::Tensor tokens = whole_numbers(kVocabulary, {2, 3}, 1);
  EXPECT_TRUE(near(model->forward(input_of(tokens, at::ones({2, 3}, at::kBool))).logits,
                   model->forward(input_of(tokens)).logits));
}

}  // namespace
}  // namespace qkvlab
