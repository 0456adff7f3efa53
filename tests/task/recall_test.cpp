#include <cmath>
#include <map>
#include <set>

#include "support/tasks.hpp"

namespace qkvlab {
namespace {

RecallTask small_recall(int64_t pairs = 3) {
  RecallTask config;
  config.vocabulary = 21;  // keys 1 to 9, values 10 to 20
  config.length = 24;
  config.pairs = pairs;
  config.power = 0.1;
  return config;
}

TEST(Recall, EachKeyIsAskedOnceForItsValueAndNothingElseIs) {
  const auto task = make_task(small_recall(), 0);
  const Batch batch = task->batch(Split::kTrain, first_numbers(200));
  const Rows tokens = rows_of(batch.input.tokens);
  const Rows targets = rows_of(batch.targets);
  for (size_t example = 0; example < tokens.size(); ++example) {
    std::map<int64_t, int64_t> value_of;
    std::set<int64_t> values;
    for (size_t i = 0; i < 6; i += 2) {
      const int64_t key = tokens[example][i];
      const int64_t value = tokens[example][i + 1];
      EXPECT_TRUE(key >= 1 && key <= 9) << key;
      EXPECT_TRUE(value >= 10 && value <= 20) << value;
      EXPECT_TRUE(value_of.emplace(key, value).second) << "key " << key << " is there twice";
      EXPECT_TRUE(values.insert(value).second) << "value " << value << " is there twice";
    }
    for (size_t i = 0; i < 24; ++i) {
      const int64_t token = tokens[example][i];
      if (i < 6 || token == 0) {
        EXPECT_EQ(targets[example][i], kUnsupervised);
      } else {
        EXPECT_EQ(i % 2, 0u) << "a query starts a slot of two";
        ASSERT_EQ(value_of.count(token), 1u) << token << " is no key, or asked twice";
        EXPECT_EQ(targets[example][i], value_of[token]);
        value_of.erase(token);
      }
    }
    EXPECT_TRUE(value_of.empty()) << "a key is not asked for";
  }
}

TEST(Recall, AllKeysAndValuesOccur) {
  const auto task = make_task(small_recall(), 0);
  std::set<int64_t> seen;
  for (const auto& row : rows_of(task->batch(Split::kTrain, first_numbers(300)).input.tokens)) {
    seen.insert(row.begin(), row.end());
  }
  EXPECT_EQ(seen.size(), 21u);
}

/// How often the keys, in their order, are asked in the slots, in theirs.
std::map<std::vector<int64_t>, double> slot_shares(const RecallTask& config, int64_t examples) {
  const auto task = make_task(config, 11);
  std::map<std::vector<int64_t>, double> shares;
  for (const auto& row :
       rows_of(task->batch(Split::kTrain, first_numbers(examples)).input.tokens)) {
    std::vector<int64_t> slots;
    for (int64_t pair = 0; pair < config.pairs; ++pair) {
      for (int64_t i = 2 * config.pairs; i < config.length; ++i) {
        if (row[i] == row[2 * pair]) slots.push_back((i - 2 * config.pairs) / 2);
      }
    }
    shares[slots] += 1.0 / static_cast<double>(examples);
  }
  return shares;
}

void expect_share(double found, double expected, int64_t examples) {
  const double deviation = std::sqrt(expected * (1 - expected) / static_cast<double>(examples));
  EXPECT_NEAR(found, expected, 4.5 * deviation);
}

TEST(Recall, ASingleQuerysSlotFollowsThePowerLaw) {
  RecallTask config = small_recall(1);
  const auto shares = slot_shares(config, 20000);
  EXPECT_EQ(shares.size(), 11u);  // (24 - 2) / 2
  double sum = 0;
  for (int i = 1; i <= 11; ++i) sum += 0.1 * std::pow(i, 0.1 - 1.0);
  for (int64_t i = 1; i <= 11; ++i) {
    expect_share(shares.at({i - 1}), 0.1 * std::pow(i, 0.1 - 1.0) / sum, 20000);
  }
}

TEST(Recall, LaterKeysDrawAmongTheSlotsThatAreLeft) {
  RecallTask config = small_recall(2);
  config.length = 12;  // slots 1 to 4
  const auto shares = slot_shares(config, 20000);
  EXPECT_EQ(shares.size(), 12u);
  const auto weight = [](int64_t slot) {
    return std::pow(static_cast<double>(slot + 1), 0.1 - 1.0);
  };
  const double all = weight(0) + weight(1) + weight(2) + weight(3);
  for (int64_t first = 0; first < 4; ++first) {
    for (int64_t second = 0; second < 4; ++second) {
      if (first == second) continue;
      const double expected = weight(first) / all * weight(second) / (all - weight(first));
      expect_share(shares.at({first, second}), expected, 20000);
    }
  }
}

TEST(Recall, AsManyPairsAsFitAreAllAsked) {
  RecallTask config = small_recall(6);  // 6 slots
  const auto task = make_task(config, 0);
  const Batch batch = task->batch(Split::kHeldOut, first_numbers(10));
  EXPECT_TRUE(((batch.targets != kUnsupervised).sum(1) == 6).all().item<bool>());
}

}  // namespace
}  // namespace qkvlab
