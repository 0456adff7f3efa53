#include <set>

#include "support/tasks.hpp"

namespace qkvlab {
namespace {

TEST(ModularAddition, EveryPairIsAskedOnceInOneOfTheSplitsAndAnsweredRight) {
  ModularAdditionTask config;
  config.modulus = 13;
  const auto task = make_task(config, 0);
  EXPECT_EQ(task->examples(Split::kHeldOut) + task->examples(Split::kTrain), 169);
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

TEST(ModularAddition, APairIsHeldOutInBothOrdersOrInNone) {
  ModularAdditionTask config;
  config.modulus = 13;
  const auto task = make_task(config, 0);
  std::set<std::vector<int64_t>> trained;
  for (const auto& row : rows_of(all_of(*task, Split::kTrain).input.tokens)) trained.insert(row);
  std::set<std::pair<int64_t, int64_t>> tested;  // whatever their order
  for (const auto& row : rows_of(all_of(*task, Split::kHeldOut).input.tokens)) {
    EXPECT_EQ(trained.count({row[1], row[0], row[2]}), 0) << row[0] << " + " << row[1];
    tested.emplace(std::min(row[0], row[1]), std::max(row[0], row[1]));
  }
  EXPECT_EQ(tested.size(), 27);  // 0.3 of 13 * 14 / 2
}

TEST(ModularAddition, OrderedPairsAreHeldOutOneByOne) {
  ModularAdditionTask config;
  config.modulus = 13;
  config.pairs = PairSplit::kOrdered;
  const auto task = make_task(config, 0);
  EXPECT_EQ(task->examples(Split::kHeldOut), 50);  // 0.3 of 169
  EXPECT_EQ(task->examples(Split::kTrain), 119);
  std::set<std::vector<int64_t>> trained;
  for (const auto& row : rows_of(all_of(*task, Split::kTrain).input.tokens)) trained.insert(row);
  int mirrored = 0;
  for (const auto& row : rows_of(all_of(*task, Split::kHeldOut).input.tokens)) {
    mirrored += static_cast<int>(trained.count({row[1], row[0], row[2]}));
  }
  EXPECT_NEAR(mirrored, 0.7 * 50, 12) << "as the docs say, most of the test leaks";
}

}  // namespace
}  // namespace qkvlab
