#include "random/draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

namespace qkvlab {
namespace {

/// Pearson's statistic of counts that are expected to be equal.
template <typename Counts>
double chi_squared(const Counts& counts, double expected) {
  double sum = 0;
  for (const auto count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

// The first outputs for the seed 1234567 that implementations of SplitMix64 are checked with
// (https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64).
TEST(Draws, AreThoseOfSplitMix64) {
  Draws draws(1234567);
  EXPECT_EQ(draws.bits(), 6457827717110365317u);
  EXPECT_EQ(draws.bits(), 3203168211198807973u);
  EXPECT_EQ(draws.bits(), 9817491932198370423u);
  EXPECT_EQ(draws.bits(), 4593380528125082431u);
  EXPECT_EQ(draws.bits(), 16408922859458223821u);
}

TEST(Draws, BelowGivesEveryNumberEquallyOften) {
  Draws draws(1);
  std::array<int64_t, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts.at(draws.below(7));
  EXPECT_LT(chi_squared(counts, 10000), 22.5);  // 99.9 % of 6 degrees of freedom
  for (int i = 0; i < 100; ++i) EXPECT_EQ(draws.below(1), 0);
}

TEST(Draws, BelowIsUnbiasedWhereTheRangeDoesNotDivideTheBits) {
  // Without a second draw a third of the numbers below 3 · 2³⁰ would come twice as often.
  Draws draws(2);
  constexpr int64_t kEnd = int64_t{3} << 30;
  std::array<int64_t, 3> by_remainder{};
  for (int i = 0; i < 30000; ++i) ++by_remainder.at(draws.below(kEnd) % 3);
  EXPECT_LT(chi_squared(by_remainder, 10000), 13.8);  // 99.9 % of 2 degrees of freedom
  constexpr int64_t kAll = int64_t{1} << 32;
  EXPECT_LT(draws.below(kAll), kAll);
}

TEST(Draws, UniformFillsTheUnitInterval) {
  Draws draws(3);
  std::array<int64_t, 10> counts{};
  for (int i = 0; i < 100000; ++i) ++counts.at(static_cast<size_t>(draws.uniform() * 10));
  EXPECT_LT(chi_squared(counts, 10000), 27.9);  // 99.9 % of 9 degrees of freedom
}

TEST(Draws, DistinctGivesEverySequenceEquallyOften) {
  Draws draws(4);
  std::map<std::vector<int64_t>, int64_t> counts;
  for (int i = 0; i < 12000; ++i) ++counts[draws.distinct(4, 2)];
  EXPECT_EQ(counts.size(), 12u);  // 4 · 3
  std::vector<int64_t> values;
  for (const auto& [numbers, count] : counts) {
    EXPECT_NE(numbers[0], numbers[1]);
    values.push_back(count);
  }
  EXPECT_LT(chi_squared(values, 1000), 31.3);  // 99.9 % of 11 degrees of freedom
}

TEST(Draws, DistinctCanTakeAll) {
  std::vector<int64_t> numbers = Draws(5).distinct(100, 100);
  std::sort(numbers.begin(), numbers.end());
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(numbers[i], i);
}

}  // namespace
}  // namespace qkvlab
