#include "training/evaluation.hpp"

#include <cmath>

#include "support/training.hpp"

namespace qkvlab {
namespace {

/// Of a single model.
Evaluation evaluate(const ModelImpl& model, const Task& task, Split split, int64_t batch_size) {
  return evaluate(model, {&task}, split, batch_size).front();
}

/// Three sequences over two tokens. The model says 0 after token 0, and after token 1 it says 1,
/// with the odds below.
constexpr double kOdds = 3;

FixedTask three_sequences() {
  Batch all;
  all.input.tokens = at::tensor({0, 1, 1, 0, 0, 1}, at::kLong).view({3, 2});
  all.targets =
      at::tensor(std::vector<int64_t>{0, 1, kUnsupervised, 1, 0, 0}, at::kLong).view({3, 2});
  FixedTask task({2, 2, 2, true}, all);
  task.long_answers = true;
  return task;
}

PlainModel sayer() {
  PlainModel model({{"p", at::ones({1})}});
  const double logit = std::log(kOdds);
  model.table = at::tensor({logit, 0.0, 0.0, logit}).view({2, 2});
  return model;
}

TEST(Evaluation, IsWhatAHandCountGives) {
  // Supervised: 0 -> 0 right, 1 -> 1 right; 0 -> 1 wrong; 0 -> 0 right, 1 -> 0 wrong.
  const Evaluation result = evaluate(sayer(), three_sequences(), Split::kHeldOut, 2);
  const double right = -std::log(kOdds / (1 + kOdds)), wrong = -std::log(1 / (1 + kOdds));
  EXPECT_EQ(result.split, "test");
  EXPECT_NEAR(result.loss, (3 * right + 2 * wrong) / 5, 1e-6);
  ASSERT_EQ(result.metrics.size(), 2U);
  EXPECT_EQ(result.metrics[0].first, "accuracy");
  EXPECT_NEAR(result.metrics[0].second, 3.0 / 5, 1e-12);
  EXPECT_EQ(result.metrics[1].first, "exact");
  EXPECT_NEAR(result.metrics[1].second, 1.0 / 3, 1e-12);
}

TEST(Evaluation, DoesNotDependOnTheBatchSize) {
  const Evaluation whole = evaluate(sayer(), three_sequences(), Split::kTrain, 3);
  EXPECT_EQ(whole.split, "train");
  for (const int64_t size : {1, 2, 100}) {
    const Evaluation part = evaluate(sayer(), three_sequences(), Split::kTrain, size);
    EXPECT_NEAR(part.loss, whole.loss, 1e-6);
    EXPECT_EQ(part.metrics, whole.metrics);
  }
}

TEST(Evaluation, OfExamplesThatOverlapTakesThoseSideBySide) {
  // Windows of two tokens of 0 1 1 0 0: the model is right where the next token is the same.
  const std::vector<int64_t> tokens = {0, 1, 1, 1, 1, 0, 0, 0};
  const std::vector<int64_t> targets = {1, 1, 1, 0, 0, 0, 0, 0};
  Batch windows;
  windows.input.tokens = at::tensor(tokens, at::kLong).view({4, 2});
  windows.targets = at::tensor(targets, at::kLong).view({4, 2});
  const FixedTask task({2, 2, 2, true}, windows, Sampling::kAnywhere);
  // Of windows 0 and 2: 0 -> 1 wrong, 1 -> 1 right, 1 -> 0 wrong, 0 -> 0 right.
  EXPECT_EQ(evaluate(sayer(), task, Split::kTrain, 3).metrics[0].second, 0.5);
  // Of all four, three of the others being right: 5 of 8.
  EXPECT_EQ(evaluate(sayer(), task, Split::kHeldOut, 3).metrics[0].second, 5.0 / 8);
}

TEST(Evaluation, AFewBatchesAreSpreadEvenly) {
  EXPECT_EQ(evaluation_starts(10, 4, {}), (std::vector<int64_t>{0, 4, 8}));
  EXPECT_EQ(evaluation_starts(100, 10, 2), (std::vector<int64_t>{0, 50}));
  EXPECT_EQ(evaluation_starts(100, 10, 3), (std::vector<int64_t>{0, 30, 60}));
  EXPECT_EQ(evaluation_starts(10, 4, 99), (std::vector<int64_t>{0, 4, 8}));
}

}  // namespace
}  // namespace qkvlab
