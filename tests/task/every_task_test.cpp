#include <cmath>

#include "base/utf8.hpp"
#include "config/task_facts.hpp"
#include "model/model.hpp"
#include "support/tasks.hpp"
#include "training/evaluation.hpp"

namespace qkvlab {
namespace {

/// A test of every task of the registry with its defaults, so that a new task is tested the day it
/// is added.
class EveryTask : public testing::TestWithParam<TaskConfig> {
 protected:
  static constexpr int64_t kExamples = 5;

  EveryTask() : config_(GetParam()) {
    std::visit([](auto& task) { give_file(task); }, config_);
    task_ = make_task(config_, 7);
  }

  Batch batch(Split split) const { return task_->batch(split, first_numbers(kExamples)); }

  TaskConfig config_;
  std::unique_ptr<Task> task_;
};

bool same_batch(const Batch& a, const Batch& b) {
  if (a.input.valid.defined() != b.input.valid.defined()) return false;
  return a.input.tokens.equal(b.input.tokens) && a.targets.equal(b.targets) &&
         (!a.input.valid.defined() || a.input.valid.equal(b.input.valid));
}

TEST_P(EveryTask, HasTheShapeThatItsConfigSays) {
  const TaskShape shape = task_shape(config_);
  EXPECT_EQ(task_->shape().vocabulary, shape.vocabulary);
  EXPECT_EQ(task_->shape().outputs, shape.outputs);
  EXPECT_EQ(task_->shape().length, shape.length);
  EXPECT_EQ(task_->shape().per_token, shape.per_token);
}

TEST_P(EveryTask, IsWhatIsSaidOfItWithoutMakingIt) {
  TaskReader reader;
  const TaskFacts& facts = reader.facts(config_);
  EXPECT_EQ(facts.shape.vocabulary, task_->shape().vocabulary);
  EXPECT_EQ(facts.shape.outputs, task_->shape().outputs);
  EXPECT_EQ(facts.shape.length, task_->shape().length);
  EXPECT_EQ(facts.shape.per_token, task_->shape().per_token);
  EXPECT_EQ(facts.train_examples, task_->examples(Split::kTrain));
  EXPECT_EQ(facts.held_out_examples, task_->examples(Split::kHeldOut));
  EXPECT_EQ(facts.file_digest, task_->file_digest());
  EXPECT_EQ(&reader.facts(config_), &facts) << "read once";
}

/// A model of default settings begins about where a blind guess stands.
TEST_P(EveryTask, BeginsNearABlindGuess) {
  const TaskShape& shape = task_->shape();
  TransformerConfig config;
  config.max_length = shape.length;
  config.output = shape.per_token ? OutputKind::kToken : OutputKind::kLast;
  const double guess = std::log(static_cast<double>(shape.outputs));
  for (const bool tie_head : {true, false}) {
    if (tie_head && shape.outputs != shape.vocabulary) continue;
    config.tie_head = tie_head;
    const auto model = make_model(config, shape, RandomSource(RandomScheme::kKeyed, 1));
    const Evaluation start = evaluate(*model, {task_.get()}, Split::kHeldOut, 8, 2).front();
    EXPECT_LT(start.loss, 1.25 * guess) << "a blind guess is at " << guess;
  }
}

TEST_P(EveryTask, AsksWithinItsShape) {
  const TaskShape& shape = task_->shape();
  for (const Split split : {Split::kTrain, Split::kHeldOut}) {
    const Batch batch = this->batch(split);
    const at::Tensor& tokens = batch.input.tokens;
    ASSERT_EQ(tokens.dim(), 2);
    EXPECT_EQ(tokens.scalar_type(), at::kLong);
    EXPECT_EQ(tokens.size(0), kExamples);
    EXPECT_LE(tokens.size(1), shape.length);
    EXPECT_TRUE(((tokens >= 0) & (tokens < shape.vocabulary)).all().item<bool>());
    EXPECT_EQ(batch.targets.scalar_type(), at::kLong);
    EXPECT_EQ(batch.targets.sizes(), shape.per_token ? tokens.sizes() : at::IntArrayRef{kExamples});
    const at::Tensor asked = batch.targets != kUnsupervised;
    const at::Tensor in_range = (batch.targets >= 0) & (batch.targets < shape.outputs);
    EXPECT_TRUE((in_range | ~asked).all().item<bool>());
    EXPECT_TRUE(asked.view({kExamples, -1}).any(1).all().item<bool>()) << "nothing is asked";
    if (batch.input.valid.defined()) {
      EXPECT_EQ(batch.input.valid.sizes(), tokens.sizes());
      if (shape.per_token) {
        EXPECT_FALSE((asked & ~batch.input.valid).any().item<bool>());
      }
    }
  }
}

TEST_P(EveryTask, AnExampleDependsOnSeedAndNumberAlone) {
  for (const RandomScheme scheme : {RandomScheme::kKeyed, RandomScheme::kTorchStream}) {
    const auto one = make_task(config_, 3, scheme);
    const auto other = make_task(config_, 3, scheme);
    for (const Split split : {Split::kTrain, Split::kHeldOut}) {
      const Batch expected = one->batch(split, {4, 0, 3});
      other->batch(Split::kTrain, {1});
      other->batch(Split::kHeldOut, {2, 3});
      EXPECT_TRUE(same_batch(other->batch(split, {4, 0, 3}), expected));
      const Batch alone = other->batch(split, {0});
      const int64_t length = alone.input.tokens.size(1);
      EXPECT_TRUE(alone.input.tokens[0].equal(expected.input.tokens[1].slice(0, 0, length)));
      EXPECT_TRUE(alone.targets[0].equal(task_->shape().per_token
                                             ? expected.targets[1].slice(0, 0, length)
                                             : expected.targets[1]));
    }
  }
}

TEST_P(EveryTask, DrawnExamplesDifferBetweenSeedsSplitsAndNumbers) {
  EXPECT_FALSE(same_batch(batch(Split::kTrain), batch(Split::kHeldOut)));
  EXPECT_FALSE(same_batch(task_->batch(Split::kTrain, {0}), task_->batch(Split::kTrain, {1})));
  if (task_->sampling() != Sampling::kEndless) return;
  const auto other = make_task(config_, 8);
  for (const Split split : {Split::kTrain, Split::kHeldOut}) {
    EXPECT_FALSE(same_batch(batch(split), other->batch(split, first_numbers(kExamples))));
  }
}

TEST_P(EveryTask, CountsItsExamples) {
  EXPECT_GE(task_->examples(Split::kHeldOut), kExamples);
  if (task_->sampling() == Sampling::kEndless) {
    EXPECT_EQ(task_->examples(Split::kTrain), 0);
    EXPECT_NO_THROW(task_->batch(Split::kTrain, {int64_t{1} << 40}));
  } else {
    EXPECT_GE(task_->examples(Split::kTrain), kExamples);
    EXPECT_ANY_THROW(task_->batch(Split::kTrain, {task_->examples(Split::kTrain)}));
  }
  EXPECT_ANY_THROW(task_->batch(Split::kHeldOut, {task_->examples(Split::kHeldOut)}));
}

TEST_P(EveryTask, NamesItsTokens) {
  for (int64_t token = 0; token < task_->shape().vocabulary; ++token) {
    EXPECT_NE(task_->token_text(token), "");
    EXPECT_FALSE(first_invalid_utf8(task_->token_text(token)));  // records hold them
  }
}

std::string task_name(const testing::TestParamInfo<TaskConfig>& info) {
  return std::visit([](const auto& task) { return std::string(task.kKind); }, info.param);
}

INSTANTIATE_TEST_SUITE_P(
    Registry, EveryTask,
    testing::ValuesIn(whole_registry(std::make_index_sequence<std::variant_size_v<TaskConfig>>())),
    task_name);

}  // namespace
}  // namespace qkvlab
