#include "statistics/location.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/numbers.hpp"
#include "support/statistics_reference.hpp"

namespace qkvlab {
namespace {

TEST(Location, MedianAndInterquartileMeanAreSciPys) {
  for (const auto& [name, expected] : statistics_reference().at("location").items()) {
    const std::vector<double> values = reference_sample(name);
    expect_close(median(values).value.value(), expected.at("median"), name);
    expect_close(interquartile_mean(values).value.value(), expected.at("iqm"), name);
  }
}

TEST(Location, OneAndTwoValuesHaveAMiddle) {
  EXPECT_EQ(median({3}).value, 3);
  EXPECT_EQ(median({5, 3}).value, 4);
  EXPECT_EQ(interquartile_mean({3}).value, 3);
  EXPECT_EQ(interquartile_mean({5, 3}).value, 4);
}

TEST(Location, ALargeOffsetCostsNoDigits) {
  // The middle half of 1, 2, 4, 8, … 128 is 4, 8, 16, 32, whose sum is 60.
  std::vector<double> values;
  for (int i = 0; i < 8; ++i) values.push_back(1e9 + (1 << i));
  EXPECT_EQ(interquartile_mean(values).value, 1e9 + 15);
  EXPECT_EQ(median(values).value, 1e9 + 12);
}

TEST(Location, DivergedRunsCountAsTheWorst) {
  EXPECT_EQ(median({1, kInfinity, 2}).value, 2);
  EXPECT_EQ(median({1, -kInfinity, 2}).value, 1);
  EXPECT_EQ(interquartile_mean({1, 2, 4, kInfinity}).value, 3);
  EXPECT_EQ(interquartile_mean({-kInfinity, 2, 4, kInfinity}).value, 3);
}

TEST(Location, ToBeResampledTheMeanOfTheMiddleHalfMayBeInfinite) {
  EXPECT_EQ(sorted_interquartile_mean({1, 2, kInfinity}), kInfinity);
  EXPECT_EQ(sorted_interquartile_mean({-kInfinity, -kInfinity, 1}), -kInfinity);
  EXPECT_TRUE(std::isnan(sorted_interquartile_mean({-kInfinity, 1, kInfinity})));
}

TEST(Location, WhatCannotBeComputedHasAReason) {
  for (const auto& statistic : {median, interquartile_mean}) {
    EXPECT_EQ(statistic({}).reason, "needs at least one seed");
    EXPECT_EQ(statistic({kInfinity}).reason, "too many runs have no value");
    EXPECT_EQ(statistic({kInfinity, 1}).reason, "too many runs have no value");
    EXPECT_EQ(statistic({kInfinity, -kInfinity}).reason, "too many runs have no value");
    EXPECT_EQ(statistic({1, kInfinity, kInfinity, kInfinity}).reason,
              "too many runs have no value");
    EXPECT_EQ(statistic({1, kNan, 2}).reason, "a value is not a number");
    EXPECT_EQ(statistic({1}).reason, "");
    EXPECT_FALSE(statistic({}).value || statistic({kInfinity}).value || statistic({kNan}).value);
  }
}

}  // namespace
}  // namespace qkvlab
