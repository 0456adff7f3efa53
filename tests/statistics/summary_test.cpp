#include "statistics/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace qkvlab {
namespace {

TEST(Summary, MeanAndSampleDeviationByHand) {
  // (2, 4, 4, 4, 5, 5, 7, 9): mean 5, squares about it 32, 32 / 7.
  const Summary summary = summary_of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(summary.n, 8);
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(summary.sd, std::sqrt(32.0 / 7));
}

TEST(Summary, ALargeOffsetCostsNoDigits) {
  EXPECT_DOUBLE_EQ(summary_of({1e9 + 1, 1e9 + 2, 1e9 + 3}).sd, 1);
}

TEST(Summary, EqualNumbersHaveExactlyThatMeanAndNoDeviation) {
  for (const double number : {0.1, 1e9 / 3, -2.7e-12, 1e300}) {
    for (const size_t n : {2, 3, 10, 999}) {
      const Summary summary = summary_of(std::vector<double>(n, number));
      EXPECT_EQ(summary.mean, number) << n;
      EXPECT_EQ(summary.sd, 0) << n << " times " << number;
    }
  }
}

TEST(Summary, AddingManyCostsTheMeanNoDigits) {
  std::vector<double> values;
  for (int i = 0; i < 10000; ++i) values.push_back(1e9 + (i % 2 == 0 ? 0.25 : 0.75));
  EXPECT_EQ(summary_of(values).mean, 1e9 + 0.5);
}

TEST(Summary, WhatCannotBeComputedIsNotANumber) {
  EXPECT_TRUE(std::isnan(summary_of({}).mean));
  EXPECT_DOUBLE_EQ(summary_of({3}).mean, 3);
  EXPECT_TRUE(std::isnan(summary_of({3}).sd));
  EXPECT_TRUE(std::isinf(summary_of({3, -std::log(0.0)}).mean));
}

TEST(Summary, OnlySeedsThatBothHaveArePaired) {
  EXPECT_EQ(paired_differences({{1, 5}, {2, 7}, {4, 1}}, {{2, 4}, {1, 6}, {3, 9}}),
            (std::vector<double>{-1, 3}));
}

}  // namespace
}  // namespace qkvlab
