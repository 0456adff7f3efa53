// Whole models as runs compute them (float32, loops of our own) against the same models by
// LibTorch's operations alone.
#include <functional>

#include "layers/loss.hpp"
#include "model/replicas.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"
#include "training/optimizer.hpp"

namespace qkvlab {
namespace {

struct Example {
  TokenInput input;
  at::Tensor targets;
};

/// Small, so that ten steps do not blow up what differs by rounding.
constexpr double kSmallRate = 0.02;

/// A model and what it learns, one step after the other.
struct Learner {
  Learner(std::shared_ptr<ModelImpl> learning, const OptimizerConfig& config)
      : model(std::move(learning)), optimizer(config, *model) {}

  double step(const Example& example) {
    optimizer.zero_grad();
    const at::Tensor logits = model->logits(example.input);
    const at::Tensor losses = cross_entropy(logits, example.targets, model->replicas());
    losses.sum().backward();
    const double loss = losses.sum().item<double>();
    optimizer.step(kSmallRate);
    return loss;
  }

  std::shared_ptr<ModelImpl> model;
  Optimizer optimizer;
};

/// Tensors of which the larger has a leading dimension of one. What is zero but for rounding, as
/// the gradient of a key's bias, is as exact as sums of numbers near 0.01 are.
void expect_close(const at::Tensor& found, const at::Tensor& expected, const std::string& name) {
  const at::Tensor same = found.view(expected.sizes());
  const double size = std::max(largest(expected), 1e-2);
  EXPECT_LE(largest(same - expected), 2e-5 * size) << name;
}

/// Compares gradients of the first step, and losses and parameters over ten, of a model by
/// LibTorch's operations and by our loops, which compute it by itself or as a stack of one.
void expect_the_same(const std::function<std::shared_ptr<ModelImpl>(bool exact)>& make,
                     const OptimizerConfig& optimizer, const Example& example) {
  for (const bool stacked : {false, true}) {
    SCOPED_TRACE(stacked ? "a stack of one" : "a single model");
    const auto model = make(false);
    if (stacked) stack_parameters(*model, {model.get()});
    Learner own(model, optimizer), expected(make(true), optimizer);
    for (int step = 0; step < 10; ++step) {
      EXPECT_NEAR(own.step(example), expected.step(example), 1e-5) << step;
      const auto found = named_values(*own.model), values = named_values(*expected.model);
      ASSERT_EQ(found.size(), values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(found[i].path, values[i].path);
        expect_close(found[i].value, values[i].value, values[i].path);
        if (step > 0 || !values[i].gradient.defined()) continue;
        expect_close(found[i].gradient, values[i].gradient, "gradient of " + values[i].path);
      }
    }
  }
}

Example tokens_to_tokens() {
  Example example;
  example.input = input_of(whole_numbers(kVocabulary, {5, kMaxLength}, 1),
                           at::arange(kMaxLength) < at::tensor({6, 4, 6, 1, 5}).unsqueeze(1));
  example.targets = whole_numbers(kVocabulary, {5, kMaxLength}, 2)
                        .masked_fill(~example.input.valid, kUnsupervised);
  return example;
}

Example tokens_to_classes(int64_t classes) {
  Example example = tokens_to_tokens();
  example.targets = whole_numbers(classes, {5}, 3);
  return example;
}

void expect_the_same_transformer(const TransformerOptions& options,
                                 const OptimizerConfig& optimizer) {
  const bool of_tokens = options.output == OutputKind::kToken;
  expect_the_same(
      [&](bool exact) {
        TransformerOptions own = options;
        own.exact = exact;
        return std::static_pointer_cast<ModelImpl>(make_model<Transformer>(own, 4).ptr());
      },
      optimizer, of_tokens ? tokens_to_tokens() : tokens_to_classes(kVocabulary));
}

TEST(OwnLoops, EveryOptionOfATransformerLearnsAsByLibTorch) {
  for (const auto& [name, options] : option_variants(small_transformer(attention_mode("full")))) {
    SCOPED_TRACE(name);
    expect_the_same_transformer(options, SgdConfig{});
  }
}

TEST(OwnLoops, SoItDoesWithAdaptiveSteps) {
  AdamWConfig adam;
  adam.eps = 0.1;  // a gradient of rounding alone would otherwise be as good as any
  expect_the_same_transformer(small_transformer(attention_mode("full"), /*packed=*/true), adam);
}

class EveryModesOwnLoops : public EveryMode {};

TEST_P(EveryModesOwnLoops, LearnAsByLibTorch) {
  expect_the_same_transformer(small_transformer(plan()), SgdConfig{});
  SentimentTraceOptions options = small_sentiment(plan());
  expect_the_same(
      [&](bool exact) {
        options.exact = exact;
        return std::static_pointer_cast<ModelImpl>(make_model<SentimentTrace>(options, 4).ptr());
      },
      SgdConfig{}, tokens_to_classes(options.classes));
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesOwnLoops, all_modes(), mode_name);

}  // namespace
}  // namespace qkvlab
