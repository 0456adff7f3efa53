#include <algorithm>
#include <map>

#include "support/tasks.hpp"

namespace qkvlab {
namespace {

TEST(Induction, TheLastTokenOccursOnceBeforeAndTheAnswerFollowsItThere) {
  InductionTask config;
  config.vocabulary = 5;
  config.length = 9;
  const auto task = make_task(config, 0);
  const Batch batch = task->batch(Split::kTrain, first_numbers(4000));
  const Rows tokens = rows_of(batch.input.tokens);
  const Rows targets = rows_of(batch.targets);
  std::map<int64_t, int> places;
  std::map<int64_t, int> answers;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto& row = tokens[i];
    ASSERT_EQ(std::count(row.begin(), row.end() - 1, row.back()), 1);
    const auto before = std::find(row.begin(), row.end() - 1, row.back());
    ASSERT_NE(before + 1, row.end() - 1) << "its answer would be the last token itself";
    EXPECT_EQ(targets[i].back(), *(before + 1));
    EXPECT_EQ(std::count(targets[i].begin(), targets[i].end(), kUnsupervised), 8);
    ++places[before - row.begin()];
    ++answers[targets[i].back()];
  }
  // Every place and every answer about equally often: five standard deviations.
  EXPECT_EQ(places.size(), 7u);
  for (const auto& [place, count] : places) EXPECT_NEAR(count, 4000 / 7.0, 111) << place;
  EXPECT_EQ(answers.size(), 5u);
  for (const auto& [answer, count] : answers) EXPECT_NEAR(count, 800, 127) << answer;
}

TEST(Induction, TheShortestSequenceWorks) {
  InductionTask config;
  config.vocabulary = 3;
  config.length = 3;
  for (const auto& row :
       rows_of(make_task(config, 0)->batch(Split::kTrain, {0, 1, 2}).input.tokens)) {
    EXPECT_EQ(row[0], row[2]);
    EXPECT_NE(row[0], row[1]);
  }
}

}  // namespace
}  // namespace qkvlab
