#include <algorithm>
#include <map>

#include "support/tasks.hpp"

namespace qkvlab {
namespace {

TEST(Majority, OneSymbolOccursMoreOftenThanEveryOther) {
  for (const int64_t length : {15, 6, 4}) {
    MajorityTask config;
    config.length = length;
    const auto task = make_task(config, 0);
    const Batch batch = task->batch(Split::kTrain, first_numbers(2000));
    const Rows tokens = rows_of(batch.input.tokens);
    std::map<int64_t, int> answers;
    for (int64_t i = 0; i < 2000; ++i) {
      const auto answer = batch.targets[i].item<int64_t>();
      const auto times = [&](int64_t symbol) {
        return std::count(tokens[i].begin(), tokens[i].end(), symbol);
      };
      for (int64_t symbol = 0; symbol < 4; ++symbol) {
        EXPECT_TRUE(symbol == answer || times(symbol) < times(answer));
      }
      ++answers[answer];
    }
    for (const auto& [answer, count] : answers) EXPECT_NEAR(count, 500, 97) << answer;  // 5 sd
  }
}

}  // namespace
}  // namespace qkvlab
