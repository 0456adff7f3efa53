#include "statistics/welch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/numbers.hpp"
#include "support/statistics_reference.hpp"

namespace qkvlab {
namespace {

TEST(WelchTest, IsSciPys) {
  for (const auto& expected : statistics_reference().at("welch")) {
    const Welch found =
        welch_test(reference_sample(expected.at("a")), reference_sample(expected.at("b")))
            .value.value();
    const std::string what = expected.dump();
    expect_close(found.difference, expected.at("difference"), what);
    expect_close(found.p, expected.at("p"), what);
    expect_close(found.df, expected.at("df"), what);
    expect_close(found.interval.low, expected.at("low"), what);
    expect_close(found.interval.high, expected.at("high"), what);
  }
}

TEST(WelchTest, ByHand) {
  // Means 2 and 0, squared standard errors 1 and 1, so t = √2 with two degrees of freedom, for
  // which p = 1 − t / √(2 + t²) (Student's distribution of two degrees in closed form).
  const Welch found = welch_test({1, 3}, {-1, 1}).value.value();
  EXPECT_DOUBLE_EQ(found.difference, 2);
  EXPECT_DOUBLE_EQ(found.df, 2);
  EXPECT_DOUBLE_EQ(found.p, 1 - std::sqrt(0.5));
  EXPECT_DOUBLE_EQ((found.interval.low + found.interval.high) / 2, 2);
}

TEST(WelchTest, OneSampleMayBeConstant) {
  const Welch found = welch_test({5, 5, 5}, {1, 3}).value.value();
  EXPECT_DOUBLE_EQ(found.difference, 3);
  EXPECT_DOUBLE_EQ(found.df, 1);
  EXPECT_DOUBLE_EQ(found.p, 1 - 2 * std::atan(3) / std::acos(-1.0));  // Cauchy's distribution
}

TEST(WelchTest, ALargeOffsetOrATinyScaleCostsNoDigits) {
  const std::vector<double> a = {1, 2, 4};
  const std::vector<double> b = {1.5, 2.5, 2.75, 3};
  const Welch near = welch_test(a, b).value.value();
  const auto moved = [](std::vector<double> values, double factor, double offset) {
    for (double& value : values) value = offset + factor * value;
    return values;
  };
  const Welch far = welch_test(moved(a, 1, 1e9), moved(b, 1, 1e9)).value.value();
  EXPECT_DOUBLE_EQ(far.difference, near.difference);
  EXPECT_DOUBLE_EQ(far.p, near.p);
  EXPECT_DOUBLE_EQ(far.interval.low, near.interval.low);
  const Welch tiny = welch_test(moved(a, 1e-120, 0), moved(b, 1e-120, 0)).value.value();
  EXPECT_DOUBLE_EQ(tiny.p, near.p);
  EXPECT_DOUBLE_EQ(tiny.df, near.df);
}

TEST(WelchTest, WhatCannotBeComputedHasAReason) {
  EXPECT_EQ(welch_test({1}, {1, 2}).reason, "needs at least two seeds");
  EXPECT_EQ(welch_test({1, 2}, {}).reason, "needs at least two seeds");
  EXPECT_EQ(welch_test({1, kInfinity}, {1, 2}).reason, "a run has no value");
  EXPECT_EQ(welch_test({1, 2}, {kNan, 1}).reason, "a value is not a number");
  EXPECT_EQ(welch_test({0.1, 0.1, 0.1}, {0.2, 0.2}).reason, "the values do not vary");
  EXPECT_EQ(welch_test({0.1, 0.1}, {0.1, 0.1}).reason, "the values do not vary");
  EXPECT_EQ(welch_test({1e308, -1e308}, {1, 2}).reason, "the values are too large to compute with");
  EXPECT_DOUBLE_EQ(welch_test({1e200, -1e200}, {1, 2}).value.value().p, 1);
  EXPECT_THROW(welch_test({1, 2}, {1, 2}, 1), std::logic_error);
}

}  // namespace
}  // namespace qkvlab
