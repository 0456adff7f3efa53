// Gradients of both models and of a block against finite differences, in double.
#include "layers/loss.hpp"
#include "support/finite_difference.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

/// The second sentence is padded on the left, so that its first causal row may attend to nothing.
TokenInput padded_input() {
  return input_of(whole_numbers(kVocabulary, {2, 3}, 1), bools({1, 1, 0, 0, 1, 1}, {2, 3}));
}

TokenInput plain_input() { return input_of(whole_numbers(kVocabulary, {2, 3}, 1)); }

class EveryModesGradients : public EveryMode {};

TEST_P(EveryModesGradients, OfTheSentimentTraceAreDerivatives) {
  for (const bool packed : {false, true}) {
    auto model = make_model<SentimentTrace>(small_sentiment(plan(), packed), 1);
    model->to(at::kDouble);
    const at::Tensor labels = at::tensor({2, 0}, at::kLong);
    for (const TokenInput& input : {plain_input(), padded_input()}) {
      EXPECT_TRUE(gradients_agree(model->parameters(), [&] {
        return cross_entropy(model->forward(input).logits, labels);
      }));
    }
  }
}

TEST_P(EveryModesGradients, OfTheTransformerAreDerivatives) {
  for (const bool packed : {false, true}) {
    TransformerOptions options = small_transformer(plan(), packed);
    options.layers = 1;
    options.tie_head = packed;  // both kinds of head, without a second loop
    auto model = make_model<Transformer>(options, 1);
    model->to(at::kDouble);
    at::Tensor targets = whole_numbers(kVocabulary, {2, 3}, 2);
    targets[1][0] = kUnsupervised;
    for (const TokenInput& input : {plain_input(), padded_input()}) {
      EXPECT_TRUE(gradients_agree(model->parameters(), [&] {
        return cross_entropy(model->forward(input).logits, targets);
      }));
    }
  }
}

TEST(Gradients, OfTransformersWithOtherOptionsAreDerivatives) {
  for (const std::string mode : {"full", "none"}) {
    TransformerOptions base = small_transformer(attention_mode(mode));
    base.layers = 1;
    for (const auto& [name, options] : option_variants(base)) {
      SCOPED_TRACE(mode + ", " + name);
      auto model = make_model<Transformer>(options, 1);
      model->to(at::kDouble);
      const bool per_token = options.output == OutputKind::kToken;
      const at::Tensor targets =
          per_token ? whole_numbers(kVocabulary, {2, 3}, 2) : at::tensor({2, 0}, at::kLong);
      for (const TokenInput& input : {plain_input(), padded_input()}) {
        EXPECT_TRUE(gradients_agree(model->parameters(), [&] {
          return cross_entropy(model->forward(input).logits, targets);
        }));
      }
    }
  }
}

TEST_P(EveryModesGradients, OfABlockAreDerivativesWithDropoutToo) {
  BlockOptions options;
  options.attention.plan = plan();
  options.attention.width = 4;
  options.attention.heads = 2;
  options.attention.dropout = 0.3;
  options.mlp->ratio = 2;
  options.residual_dropout = 0.3;
  const RandomSource source(RandomScheme::kKeyed, 1);
  Block block(options, InitialValues(source));
  block->to(at::kDouble);
  DropoutStep step;
  step.sources.push_back(source);
  const at::Tensor x = normal({2, 3, 4}, 1, at::kDouble).requires_grad_();
  std::vector<at::Tensor> variables = block->parameters();
  variables.push_back(x);
  const Mask mask = Mask::causal(3, 3) & Mask::key_padding(padded_input().valid);
  for (const DropoutStep* dropout_step :
       {static_cast<const DropoutStep*>(nullptr), static_cast<const DropoutStep*>(&step)}) {
    EXPECT_TRUE(gradients_agree(
        variables, [&] { return weighted_sum(block->forward(x, mask, dropout_step).output); }));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesGradients, all_modes(), mode_name);

}  // namespace
}  // namespace qkvlab
