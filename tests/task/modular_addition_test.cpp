#include <set>

#include "support/tasks.hpp"

namespace qkvlab {
namespace {

TEST(ModularAddition, EveryPairIsAskedOnceInOneOfTheSplitsAndAnsweredRight) {
  ModularAdditionTask config;
  config.modulus = 13;
  const auto task = make_task(config, 0);
  EXPECT_EQ(task->examples(Split::kHeldOut), 50);  // 0.3 of 169
  EXPECT_EQ(task->examples(Split::kTrain), 119);
  EXPECT_EQ(task->sampling(), Sampling::kShuffled);
  std::set<std::vector<int64_t>> seen;
  for (const Split split : {Split::kTrain, Split::kHeldOut}) {
    const Batch batch = all_of(*task, split);
    const Rows targets = rows_of(batch.targets);
    size_t i = 0;
    for (const auto& row : rows_of(batch.input.tokens)) {
      EXPECT_TRUE(seen.insert(row).second) << row[0] << " + " << row[1] << " is asked twice";
      EXPECT_EQ(task->token_text(row[2]), "=");
      const int64_t sum = row[0] + row[1];
      const int64_t answer = sum >= 13 ? sum - 13 : sum;
      EXPECT_EQ(targets[i++], (std::vector<int64_t>{kUnsupervised, kUnsupervised, answer}));
    }
  }
  EXPECT_EQ(seen.size(), 169u);
}

}  // namespace
}  // namespace qkvlab
