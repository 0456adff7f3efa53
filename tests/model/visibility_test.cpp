// What a position can see: nothing later under the causal mask, no padding, no other sentence, and
// in mode `none` nothing but itself.
#include "support/finite_difference.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kSequenceLength = 5;

/// The same tokens but for another one at position t of every sentence.
at::Tensor change_token(const at::Tensor& tokens, int64_t t) {
  at::Tensor changed = tokens.clone();
  changed.select(1, t).add_(1).remainder_(kVocabulary);
  return changed;
}

/// Puts `left` and `right` tokens of padding around sentences [B, T].
TokenInput pad(const at::Tensor& tokens, int64_t left, int64_t right, int64_t filler) {
  const int64_t count = tokens.size(0);
  const at::Tensor before = at::full({count, left}, filler, at::kLong);
  const at::Tensor after = at::full({count, right}, filler, at::kLong);
  const at::Tensor valid =
      at::cat({at::zeros_like(before), at::ones_like(tokens), at::zeros_like(after)}, 1);
  return input_of(at::cat({before, tokens, after}, 1), valid.to(at::kBool));
}

class EveryModesVisibility : public EveryMode {
 protected:
  Transformer transformer(bool causal) const {
    TransformerOptions options = small_transformer(plan());
    options.causal = causal;
    return make_model<Transformer>(options, 1);
  }
  SentimentTrace sentiment() const {
    return make_model<SentimentTrace>(small_sentiment(plan()), 1);
  }

  const at::Tensor tokens = whole_numbers(kVocabulary, {3, kSequenceLength}, 1);
};

TEST_P(EveryModesVisibility, ALaterTokenNeverChangesAnEarlierCausalOutput) {
  const Transformer model = transformer(true);
  const at::Tensor before = model->forward(input_of(tokens)).logits;
  for (int64_t t = 1; t < kSequenceLength; ++t) {
    const at::Tensor after = model->forward(input_of(change_token(tokens, t))).logits;
    EXPECT_TRUE(same(after.narrow(1, 0, t), before.narrow(1, 0, t))) << t;
    EXPECT_FALSE(after.select(1, t).equal(before.select(1, t))) << t;
  }
}

TEST_P(EveryModesVisibility, AnEarlierTokenReachesLaterOutputsUnlessNothingIsAttendedTo) {
  for (const bool causal : {true, false}) {
    const Transformer model = transformer(causal);
    const at::Tensor before = model->forward(input_of(tokens)).logits;
    const at::Tensor after = model->forward(input_of(change_token(tokens, 0))).logits;
    EXPECT_EQ(
        after.narrow(1, 1, kSequenceLength - 1).equal(before.narrow(1, 1, kSequenceLength - 1)),
        plan().mode == "none");
  }
}

TEST_P(EveryModesVisibility, PaddingOnEitherSideChangesNothing) {
  for (const int64_t filler : {int64_t{0}, int64_t{3}}) {
    for (const auto& [left, right] : {std::pair<int64_t, int64_t>{0, 1}, {1, 0}}) {
      SCOPED_TRACE(testing::Message() << left << " left, " << right << " right");
      const TokenInput padded = pad(tokens, left, right, filler);
      for (const bool causal : {true, false}) {
        const Transformer model = transformer(causal);
        const at::Tensor logits = model->forward(padded).logits;
        EXPECT_TRUE(logits.isfinite().all().item<bool>());
        EXPECT_TRUE(
            near(logits.narrow(1, left, kSequenceLength), model->forward(input_of(tokens)).logits));
      }
      EXPECT_TRUE(
          near(sentiment()->forward(padded).logits, sentiment()->forward(input_of(tokens)).logits));
    }
  }
}

TEST_P(EveryModesVisibility, PaddingChangesNoLogitsOfSequences) {
  for (const auto& [name, options] : option_variants(small_transformer(plan()))) {
    if (options.output == OutputKind::kToken) continue;
    const auto model = make_model<Transformer>(options, 1);
    const at::Tensor expected = model->forward(input_of(tokens)).logits;
    for (const auto& [left, right] : {std::pair<int64_t, int64_t>{0, 1}, {1, 0}}) {
      EXPECT_TRUE(near(model->forward(pad(tokens, left, right, 3)).logits, expected))
          << name << ", " << left << " left, " << right << " right";
    }
  }
}

TEST_P(EveryModesVisibility, PaddingHasNoPartInGradients) {
  const Transformer alone = transformer(true), beside = transformer(true);
  // The padding's token occurs nowhere else.
  const at::Tensor small = tokens.clamp_max(kVocabulary - 2);
  const at::Tensor weights = normal({3, kSequenceLength, kVocabulary}, 5);
  (alone->forward(input_of(small)).logits * weights).sum().backward();
  const TokenInput padded = pad(small, 1, 0, kVocabulary - 1);
  (beside->forward(padded).logits.narrow(1, 1, kSequenceLength) * weights).sum().backward();
  for (const NamedValue& value : named_values(*beside)) {
    for (const NamedValue& expected : named_values(*alone)) {
      if (expected.path != value.path) continue;
      ASSERT_EQ(value.gradient.defined(), expected.gradient.defined()) << value.path;
      if (value.gradient.defined()) {
        EXPECT_TRUE(near(value.gradient, expected.gradient)) << value.path;
      }
    }
  }
}

TEST_P(EveryModesVisibility, OtherSentencesOfTheBatchChangeNothing) {
  const at::Tensor valid =
      bools({1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1}, {3, kSequenceLength});
  for (const bool causal : {true, false}) {
    const Transformer model = transformer(causal);
    const at::Tensor together = model->forward(input_of(tokens, valid)).logits;
    const at::Tensor classes = sentiment()->forward(input_of(tokens, valid)).logits;
    for (int64_t b = 0; b < 3; ++b) {
      const at::Tensor own = tokens[b].masked_select(valid[b]).unsqueeze(0);  // without padding
      EXPECT_TRUE(near(together[b].index({valid[b]}), model->forward(input_of(own)).logits[0]));
      EXPECT_TRUE(near(classes[b], sentiment()->forward(input_of(own)).logits[0]));
    }
  }
}

TEST_P(EveryModesVisibility, RowsOfWeightsSumToOneOverValidEarlierKeysOrAreZero) {
  const at::Tensor valid =
      bools({1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1}, {3, kSequenceLength});
  const TransformerForward found =
      transformer(true)->forward(input_of(tokens, valid), nullptr, Keep::kEverything);
  for (const BlockForward& block : found.blocks) {
    const at::Tensor& weights = block.attention.attention.weights;  // [B, H, T, T]
    ASSERT_EQ(weights.defined(), plan().attends);
    if (!plan().attends) continue;
    for (int64_t b = 0; b < 3; ++b) {
      for (int64_t query = 0; query < kSequenceLength; ++query) {
        bool any = false;
        for (int64_t key = 0; key < kSequenceLength; ++key) {
          const bool may = key <= query && valid[b][key].item<bool>();
          any = any || may;
          if (!may) {
            EXPECT_EQ(largest(weights.index({b, at::indexing::Slice(), query, key})), 0);
          }
        }
        const at::Tensor sums = weights.select(0, b).select(1, query).sum(-1);  // [H]
        EXPECT_TRUE(near(sums, at::full({2}, any ? 1.0 : 0.0)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesVisibility, all_modes(), mode_name);

TEST(Visibility, InModeNoneNoPositionSeesAnother) {
  TransformerOptions options = small_transformer(attention_mode("none"));
  options.causal = false;
  options.tie_head = false;
  auto transformer = make_model<Transformer>(options, 1);
  const auto sentiment = make_model<SentimentTrace>(small_sentiment(attention_mode("none")), 1);
  const at::Tensor tokens = at::arange(kSequenceLength).unsqueeze(0);  // all different
  const TokenInput input = input_of(tokens);
  for (int64_t t = 0; t < kSequenceLength; ++t) {
    TokenInput changed = input_of(tokens.clone());
    changed.tokens[0][t] = kVocabulary - 1;
    const auto expect_only_t = [&](const at::Tensor& before, const at::Tensor& after) {
      for (int64_t other = 0; other < kSequenceLength; ++other) {
        EXPECT_EQ(after[0][other].equal(before[0][other]), other != t) << other << " and " << t;
      }
    };
    expect_only_t(transformer->forward(input).logits, transformer->forward(changed).logits);
    expect_only_t(sentiment->forward(input).attention.context,
                  sentiment->forward(changed).attention.context);

    transformer->zero_grad();
    weighted_sum(transformer->forward(input).logits[0][t]).backward();
    for (const NamedValue& value : named_values(*transformer)) {
      const bool table =
          value.path == "token_embedding.weight" || value.path == "position_embedding.weight";
      if (!table) continue;
      for (int64_t row = 0; row < value.value.size(0); ++row) {
        EXPECT_EQ(largest(value.gradient[row]) > 0, row == t) << value.path << " row " << row;
      }
    }
  }
}

TEST(Visibility, InModeUniformContextsAreMeansOfValues) {
  const TransformerForward found =
      make_model<Transformer>(small_transformer(attention_mode("uniform")), 1)
          ->forward(input_of(whole_numbers(kVocabulary, {3, kSequenceLength}, 1)), nullptr,
                    Keep::kEverything);
  ASSERT_FALSE(found.blocks.empty());
  const at::Tensor counts =
      at::arange(1, kSequenceLength + 1).to(at::kFloat).view({kSequenceLength, 1});
  for (const BlockForward& block : found.blocks) {
    const at::Tensor& value = block.attention.projected.value;  // [B, H, T, Dh]
    EXPECT_TRUE(near(block.attention.attention.context, value.cumsum(-2) / counts));
  }
}

}  // namespace
}  // namespace qkvlab
