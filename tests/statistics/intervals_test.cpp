#include "statistics/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/numbers.hpp"
#include "support/statistics_reference.hpp"

namespace qkvlab {
namespace {

/// n, …, 2, 1: a value is its rank.
std::vector<double> ranks(int64_t n) {
  std::vector<double> values;
  for (int64_t i = n; i >= 1; --i) values.push_back(static_cast<double>(i));
  return values;
}

TEST(MeanInterval, IsSciPys) {
  for (const auto& [name, expected] : statistics_reference().at("mean_interval").items()) {
    const Figure<Interval> found = mean_interval(reference_sample(name));
    expect_close(found.value.value().low, expected.at("low"), name);
    expect_close(found.value.value().high, expected.at("high"), name);
  }
}

TEST(MeanInterval, OfAnotherConfidenceByHand) {
  // Mean 2, sd √2 and standard error 1; the t distribution with one degree of freedom is Cauchy's,
  // whose upper quartile is 1.
  const Figure<Interval> half = mean_interval({1, 3}, 0.5);
  EXPECT_NEAR(half.value.value().low, 1, 1e-14);
  EXPECT_NEAR(half.value.value().high, 3, 1e-14);
}

TEST(MeanInterval, ALargeOffsetCostsNoDigits) {
  const Interval near = mean_interval({0, 1, 3, 4.5}).value.value();
  const Interval far = mean_interval({1e9, 1e9 + 1, 1e9 + 3, 1e9 + 4.5}).value.value();
  EXPECT_NEAR(far.high - far.low, near.high - near.low, 3e-7);  // the ends are doubles near 1e9
  EXPECT_NEAR(far.low - 1e9, near.low, 2e-7);
}

TEST(MeanInterval, OfEqualValuesIsThePoint) {
  for (const double value : {0.1, -1.7e9, 0.0}) {
    for (const size_t n : {2, 3, 7, 1000}) {
      const Figure<Interval> found = mean_interval(std::vector<double>(n, value));
      EXPECT_EQ(found.value.value().low, value);
      EXPECT_EQ(found.value.value().high, value);
    }
  }
}

TEST(MeanInterval, WhatCannotBeComputedHasAReason) {
  EXPECT_EQ(mean_interval({}).reason, "needs at least two seeds");
  EXPECT_EQ(mean_interval({1}).reason, "needs at least two seeds");
  EXPECT_EQ(mean_interval({1, kInfinity, 2}).reason, "a run has no value");
  EXPECT_EQ(mean_interval({1, kNan}).reason, "a value is not a number");
  EXPECT_EQ(mean_interval({1e308, -1e308}).reason, "the values are too large to compute with");
  EXPECT_EQ(mean_interval({1e308, 1.1e308}).reason, "the values are too large to compute with");
  EXPECT_THROW(mean_interval({1, 2}, 1), std::logic_error);
  EXPECT_THROW(mean_interval({1, 2}, 0), std::logic_error);
}

TEST(MedianInterval, EndsAtTheRanksOfTheBinomialDistribution) {
  for (const auto& expected : statistics_reference().at("median_rank")) {
    const int64_t n = expected.at("n");
    const int64_t rank = expected.at("rank");
    const Figure<Interval> found = median_interval(ranks(n));
    if (rank == 0) {
      EXPECT_EQ(found.reason, "needs at least 6 seeds") << n;
      continue;
    }
    EXPECT_EQ(found.value.value().low, rank) << n;
    EXPECT_EQ(found.value.value().high, n + 1 - rank) << n;
  }
}

TEST(MedianInterval, OfAnotherConfidenceByHand) {
  // Two coins fall alike with probability 1/2, five with 1/16; of four, two heads or fewer with
  // 11/16.
  EXPECT_EQ(median_interval(ranks(2), 0.5).value.value().high, 2);
  EXPECT_EQ(median_interval(ranks(2), 0.51).reason, "needs at least 3 seeds");
  EXPECT_EQ(median_interval(ranks(5), 0.9375).value.value().low, 1);
  EXPECT_EQ(median_interval(ranks(5), 0.94).reason, "needs at least 6 seeds");
  EXPECT_EQ(median_interval(ranks(4), 0.375).value.value().low, 2);
  EXPECT_THROW(median_interval({1, 2}, 1), std::logic_error);
}

TEST(MedianInterval, EndsMustBeFinite) {
  EXPECT_EQ(median_interval({}).reason, "needs at least one seed");
  EXPECT_EQ(median_interval({1, kNan, 1, 1, 1, 1}).reason, "a value is not a number");
  EXPECT_EQ(median_interval({1, 2, 3, 4, 5, kInfinity}).reason, "too many runs have no value");
  EXPECT_EQ(median_interval({1, 2, 3, 4, 5, -kInfinity}).reason, "too many runs have no value");
  // Of nine values the second and the second last.
  const Figure<Interval> found = median_interval({-kInfinity, 1, 2, 3, 4, 5, 6, 7, kInfinity});
  EXPECT_EQ(found.value.value().low, 1);
  EXPECT_EQ(found.value.value().high, 7);
}

}  // namespace
}  // namespace qkvlab
