#include <algorithm>
#include <set>

#include "support/tasks.hpp"

namespace qkvlab {
namespace {

SequenceTask small_sequence(SequenceRule rule = SequenceRule::kReverse,
                            SequenceLayout layout = SequenceLayout::kInPlace) {
  SequenceTask config;
  config.rule = rule;
  config.layout = layout;
  config.length = 5;
  config.symbols = 7;
  return config;
}

/// What the rules say, symbol by symbol.
std::vector<int64_t> answer(SequenceRule rule, const std::vector<int64_t>& question,
                            int64_t symbols) {
  std::vector<int64_t> answer = question;
  const size_t length = question.size();
  for (size_t i = 0; i < length; ++i) {
    switch (rule) {
      case SequenceRule::kCopy:
        break;
      case SequenceRule::kReverse:
        answer[i] = question[length - 1 - i];
        break;
      case SequenceRule::kSwapHalves:
        answer[i] = question[(i + length / 2) % length];
        break;
      case SequenceRule::kSubtract:
        answer[i] = symbols - 1 - question[i];
        break;
      case SequenceRule::kSort: {
        // Its rank is how many come before it.
        size_t rank = 0;
        for (size_t j = 0; j < length; ++j) {
          if (question[j] < question[i] || (question[j] == question[i] && j < i)) ++rank;
        }
        answer[rank] = question[i];
        break;
      }
    }
  }
  return answer;
}

class EverySequenceRule : public testing::TestWithParam<SequenceRule> {};

TEST_P(EverySequenceRule, IsAppliedAtThePlacesOfTheQuestion) {
  const auto task = make_task(small_sequence(GetParam()), 0);
  const Batch batch = task->batch(Split::kTrain, first_numbers(20));
  const Rows tokens = rows_of(batch.input.tokens);
  const Rows targets = rows_of(batch.targets);
  for (size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(targets[i], answer(GetParam(), tokens[i], 7));
  }
}

TEST_P(EverySequenceRule, IsContinuedAfterTheQuestion) {
  const auto task = make_task(small_sequence(GetParam(), SequenceLayout::kContinued), 0);
  const Batch batch = task->batch(Split::kTrain, first_numbers(20));
  const Rows tokens = rows_of(batch.input.tokens);
  const Rows targets = rows_of(batch.targets);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::vector<int64_t> question(tokens[i].begin(), tokens[i].begin() + 5);
    const std::vector<int64_t> expected = answer(GetParam(), question, 7);
    std::vector<int64_t> whole = question;
    whole.insert(whole.end(), expected.begin(), expected.end());
    EXPECT_EQ(tokens[i], std::vector<int64_t>(whole.begin(), whole.end() - 1));
    std::vector<int64_t> asked(4, kUnsupervised);
    asked.insert(asked.end(), expected.begin(), expected.end());
    EXPECT_EQ(targets[i], asked);
  }
  EXPECT_TRUE(task->has_long_answers());
}

INSTANTIATE_TEST_SUITE_P(Rules, EverySequenceRule,
                         testing::Values(SequenceRule::kCopy, SequenceRule::kReverse,
                                         SequenceRule::kSort, SequenceRule::kSwapHalves,
                                         SequenceRule::kSubtract));

TEST(Sequence, TheHandWrittenExamplesHold) {
  const std::vector<int64_t> question = {3, 1, 2, 0};
  EXPECT_EQ(answer(SequenceRule::kReverse, question, 4), (std::vector<int64_t>{0, 2, 1, 3}));
  EXPECT_EQ(answer(SequenceRule::kSort, question, 4), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(answer(SequenceRule::kSwapHalves, question, 4), (std::vector<int64_t>{2, 0, 3, 1}));
  EXPECT_EQ(answer(SequenceRule::kSubtract, question, 4), (std::vector<int64_t>{0, 2, 1, 3}));
}

std::set<std::vector<int64_t>> questions(const Task& task, Split split, int64_t count,
                                         int64_t length) {
  const Batch batch = task.batch(split, first_numbers(count));
  const Rows rows = rows_of(batch.input.tokens.slice(1, 0, length));
  return {rows.begin(), rows.end()};
}

TEST(Sequence, AQuarterOf729QuestionsIs182AndTrainingAsksAllTheOthers) {
  SequenceTask config = small_sequence(SequenceRule::kSort, SequenceLayout::kContinued);
  config.length = 6;
  config.symbols = 3;
  config.held_out = 0.25;
  const auto task = make_task(config, 0);
  ASSERT_EQ(task->examples(Split::kHeldOut), 182);
  const auto tested = questions(*task, Split::kHeldOut, 182, 6);
  EXPECT_EQ(tested.size(), 182u);
  // Each of 547 questions is missed by 10 000 draws with a probability of 10⁻⁸.
  const auto trained = questions(*task, Split::kTrain, 10000, 6);
  EXPECT_EQ(trained.size(), 729u - 182u);
  for (const auto& question : tested) EXPECT_EQ(trained.count(question), 0u);
  const auto other_seed = make_task(config, 1);
  EXPECT_EQ(questions(*other_seed, Split::kHeldOut, 182, 6), tested);
}

TEST(Sequence, OfVeryManyQuestionsTheHeldOutOnesAreTheTestsAloneToo) {
  SequenceTask config = small_sequence();
  config.length = 4;
  config.symbols = 40;  // 2 560 000 questions
  config.held_out = 0.5;
  config.test_examples = 20000;
  const auto task = make_task(config, 0);
  ASSERT_EQ(task->examples(Split::kHeldOut), 20000);
  const auto tested = questions(*task, Split::kHeldOut, 20000, 4);
  const auto trained = questions(*task, Split::kTrain, 20000, 4);
  // Without a rule about 20 000 · 20 000 / 2 560 000 = 156 would be in both.
  for (const auto& question : tested) EXPECT_EQ(trained.count(question), 0u);
}

TEST(Sequence, WithAnEndTrainingGoesThroughItsExamplesInEpochs) {
  SequenceTask config = small_sequence();
  config.train_examples = 50;
  const auto task = make_task(config, 0);
  EXPECT_EQ(task->sampling(), Sampling::kShuffled);
  EXPECT_EQ(task->examples(Split::kTrain), 50);
  config.train_examples = 0;
  const auto endless = make_task(config, 0);
  EXPECT_TRUE(
      all_of(*task, Split::kTrain)
          .input.tokens.equal(endless->batch(Split::kTrain, first_numbers(50)).input.tokens));
}

// As the PyTorch program: torch.manual_seed(5); x_train = torch.randint(7, (50, 5));
// x_test = torch.randint(7, (20, 5)); then a torch.randperm(50) for every epoch.
TEST(Sequence, ATorchStreamDrawsBothDataSetsAtOnceAndNothingElse) {
  SequenceTask config = small_sequence();
  config.train_examples = 50;
  config.test_examples = 20;
  const RandomSource data(RandomScheme::kTorchStream, 5);
  const auto task = make_task(config, data);
  torch::manual_seed(5);
  const at::Tensor train = torch::randint(7, {50, 5}, at::kLong);
  const at::Tensor test = torch::randint(7, {20, 5}, at::kLong);
  EXPECT_TRUE(all_of(*task, Split::kTrain).input.tokens.equal(train));
  const Batch tested = all_of(*task, Split::kHeldOut);
  EXPECT_TRUE(tested.input.tokens.equal(test));
  EXPECT_TRUE(tested.targets.equal(test.flip(1)));
  EXPECT_TRUE(at::randperm(50, data.generator("batch/0")).equal(torch::randperm(50)));
}

}  // namespace
}  // namespace qkvlab
