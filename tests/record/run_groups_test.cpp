#include "record/run_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace qkvlab {
namespace {

TEST(RunGroups, EveryRunIsDealtOnceInOrderAndGroupsAreOfEqualSizes) {
  for (int64_t count = 0; count < 20; ++count) {
    for (int64_t replicas = 1; replicas < 8; ++replicas) {
      std::vector<SeedRun> runs;
      for (int64_t seed = 0; seed < count; ++seed) runs.push_back({std::to_string(seed), seed});
      const std::vector<RunGroup> groups = divide_into_groups("v", runs, replicas);
      int64_t next = 0, smallest = count, largest = 0;
      for (const RunGroup& group : groups) {
        const auto size = static_cast<int64_t>(group.runs.size());
        smallest = std::min(smallest, size);
        largest = std::max(largest, size);
        for (const SeedRun& run : group.runs) EXPECT_EQ(run.seed, next++);
      }
      EXPECT_EQ(next, count);
      EXPECT_LE(largest, replicas);
      if (count > 0) {
        EXPECT_LE(largest - smallest, 1);
      }
      EXPECT_EQ(static_cast<int64_t>(groups.size()), (count + replicas - 1) / replicas);
    }
  }
}

}  // namespace
}  // namespace qkvlab
