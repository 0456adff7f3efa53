#include "statistics/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/location.hpp"
#include "statistics/summary.hpp"

namespace qkvlab {
namespace {

TEST(Calibration, WhatIsTrueOfAPopulationIsSeenInALargeSample) {
  for (const Shape shape : kShapes) {
    const Population truth = population_of(shape);
    std::mt19937_64 random(1);
    std::vector<double> one;
    std::vector<double> other;
    for (int i = 0; i < 400000; ++i) {
      const auto [a, b] = draw_pair(shape, random);
      one.push_back(a);
      other.push_back(b);
    }
    // Standard deviations are at most 2.2, so that 0.02 is more than five standard errors.
    for (const auto& arm : {one, other}) {
      EXPECT_NEAR(summary_of(arm).mean, truth.mean, 0.02) << name_of(shape);
      EXPECT_NEAR(median(arm).value.value(), truth.median, 0.02) << name_of(shape);
      EXPECT_NEAR(interquartile_mean(arm).value.value(), truth.interquartile_mean, 0.02)
          << name_of(shape);
    }
    // Pairing matters: the difference varies less than that of independent arms.
    std::vector<double> differences;
    for (size_t i = 0; i < one.size(); ++i) differences.push_back(one[i] - other[i]);
    const double independent = std::hypot(summary_of(one).sd, summary_of(other).sd);
    EXPECT_LT(summary_of(differences).sd, 0.9 * independent) << name_of(shape);
    EXPECT_GT(summary_of(differences).sd, 0.5 * independent) << name_of(shape);
  }
}

TEST(Calibration, EveryBoundCanBeMissed) {
  const CalibrationCell right = {Shape::kNormal, 10, 0.05, 0.05, 0.95, 0.95, 0.95, 0.95};
  EXPECT_TRUE(missed_bounds(right, 10000).empty());
  const auto missed = [&right](double CalibrationCell::*figure, double value,
                               int64_t comparisons = 10000) {
    CalibrationCell cell = right;
    cell.*figure = value;
    return missed_bounds(cell, comparisons).size();
  };
  EXPECT_EQ(missed(&CalibrationCell::sign_flip, 0.058), 1);
  EXPECT_EQ(missed(&CalibrationCell::sign_flip, 0.056), 0);
  EXPECT_EQ(missed(&CalibrationCell::sign_flip, 0.039), 1);
  EXPECT_EQ(missed(&CalibrationCell::sign_flip, 0.041), 0);
  for (double CalibrationCell::*interval : {&CalibrationCell::difference, &CalibrationCell::mean}) {
    EXPECT_EQ(missed(interval, 0.939), 1);
    EXPECT_EQ(missed(interval, 0.961), 1);
    EXPECT_EQ(missed(interval, 0.941), 0);
  }
  // A hundredth of the comparisons: ten times as wide.
  EXPECT_EQ(missed(&CalibrationCell::sign_flip, 0.119, 100), 0);
  EXPECT_EQ(missed(&CalibrationCell::sign_flip, 0.121, 100), 1);
  EXPECT_EQ(missed(&CalibrationCell::mean, 0.86, 100), 0);
  EXPECT_EQ(missed(&CalibrationCell::mean, 0.84, 100), 1);
  EXPECT_EQ(missed(&CalibrationCell::sign_flip, 0.058, 1000000), 1);
  EXPECT_EQ(missed(&CalibrationCell::sign_flip, 0.056, 1000000), 0);

  CalibrationCell few = right;
  few.n = 6;
  few.sign_flip = 0.031;  // 2 of 64 patterns is the most below 5 %
  EXPECT_TRUE(missed_bounds(few, 10000).empty());
  CalibrationCell skewed = right;
  skewed.shape = Shape::kSkewed;
  skewed.mean = 0.8;
  EXPECT_TRUE(missed_bounds(skewed, 10000).empty());
}

}  // namespace
}  // namespace qkvlab
