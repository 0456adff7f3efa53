#include "statistics/bootstrap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "statistics/location.hpp"
#include "support/numbers.hpp"
#include "support/statistics_reference.hpp"

namespace qkvlab {
namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double variance_of(const std::vector<double>& values) {
  const double mean = sum_of(values) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size());
}

TEST(Bootstrap, IsSciPysWithinMonteCarloError) {
  // The bounds are quantiles of SciPy's resamples, five standard errors of two sets of as many
  // resamples to either side (tests/reference/statistics.py): a right interval leaves them less
  // than once in 100,000 seeds.
  const int64_t resamples = statistics_reference().at("bca_resamples");
  const std::map<std::string, SortedStatistic> statistics = {{"bca_iqm", sorted_interquartile_mean},
                                                             {"bca_variance", variance_of}};
  for (const auto& [section, statistic] : statistics) {
    for (const auto& [name, expected] : statistics_reference().at(section).items()) {
      const Figure<Interval> found =
          bca_interval(reference_sample(name), statistic, one_by_one(statistic), 1, resamples);
      EXPECT_GE(found.value.value().low, expected.at("low_bounds").at(0)) << section << name;
      EXPECT_LE(found.value.value().low, expected.at("low_bounds").at(1)) << section << name;
      EXPECT_GE(found.value.value().high, expected.at("high_bounds").at(0)) << section << name;
      EXPECT_LE(found.value.value().high, expected.at("high_bounds").at(1)) << section << name;
    }
  }
}

TEST(Bootstrap, LeavingOneOutInOnePassIsLeavingThemOutOneByOne) {
  for (const size_t n : {2, 3, 4, 5, 6, 7, 8, 9, 31, 100}) {
    std::vector<double> values;
    // Far from zero, where differences have few digits, and with ties.
    for (size_t i = 0; i < n; ++i) values.push_back(1000 + std::floor(std::sqrt(i * 7919 % 1000)));
    std::sort(values.begin(), values.end());
    const std::vector<double> expected = one_by_one(sorted_interquartile_mean)(values);
    const std::vector<double> found = interquartile_means_without_each(values);
    ASSERT_EQ(found.size(), n);
    for (size_t i = 0; i < n; ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << n << " " << i;
  }
  // Of too many that are infinite both say that there is no mean.
  for (const std::vector<double>& values : std::vector<std::vector<double>>{
           {-kInfinity, -kInfinity, 1, 2, 3}, {1, 2, 3, kInfinity, kInfinity}, {1, 2, kInfinity}}) {
    for (const auto& all : {one_by_one(sorted_interquartile_mean)(values),
                            interquartile_means_without_each(values)}) {
      EXPECT_FALSE(std::isfinite(std::accumulate(all.begin(), all.end(), 0.0)));
    }
  }
}

TEST(Bootstrap, OnlyOfVeryManyValuesFewerResamplesAreDrawn) {
  EXPECT_EQ(affordable_resamples(9999, 6), 9999);
  EXPECT_EQ(affordable_resamples(9999, 10'000), 9999);
  EXPECT_EQ(affordable_resamples(9999, 20'000), 4999);
  EXPECT_EQ(affordable_resamples(9999, 500'000), 399);
  EXPECT_EQ(affordable_resamples(99, 500'000), 99);
}

TEST(Bootstrap, OneResampleGivesThatOrAReason) {
  int64_t points = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Figure<Interval> found = bca_interval({0, 1}, sum_of, one_by_one(sum_of), seed, 1);
    points += found.value ? 1 : 0;
    if (found.value) {
      EXPECT_EQ(found.value->low, 1);
      EXPECT_EQ(found.value->high, 1);
    } else {
      EXPECT_EQ(found.reason, "all resamples lie to one side of the statistic");
    }
  }
  EXPECT_GT(points, 0);
  EXPECT_LT(points, 20);
}

TEST(Bootstrap, EveryValueIsDrawnAsOftenAsAnyOther) {
  // Of the sum of two values, 0 and 1, a resample is 0, 1, 1 or 2. Neither bias nor acceleration:
  // the 25 % and 75 % quantiles are those of the resamples, and a little more of either moves them.
  const std::vector<double> values = {0, 1};
  const Interval wide =
      bca_interval(values, sum_of, one_by_one(sum_of), 1, 9999, 0.6).value.value();
  EXPECT_EQ(wide.low, 0);
  EXPECT_EQ(wide.high, 2);
  const Interval narrow =
      bca_interval(values, sum_of, one_by_one(sum_of), 1, 9999, 0.4).value.value();
  EXPECT_EQ(narrow.low, 1);
  EXPECT_EQ(narrow.high, 1);
}

TEST(Bootstrap, TheOrderOfTheValuesDoesNotMatterTheSeedDoes) {
  const std::vector<double> values = reference_sample("skewed_10");
  std::vector<double> reversed(values.rbegin(), values.rend());
  const auto interval = [](const std::vector<double>& of, uint64_t seed) {
    return bca_interval(of, sorted_interquartile_mean, interquartile_means_without_each, seed, 999)
        .value.value();
  };
  EXPECT_EQ(interval(values, 1).low, interval(reversed, 1).low);
  EXPECT_EQ(interval(values, 1).high, interval(reversed, 1).high);
  EXPECT_NE(interval(values, 1).low, interval(values, 2).low);
}

TEST(Bootstrap, MovesAndGrowsWithTheValues) {
  const std::vector<double> values = {1, 2, 4, 8, 16, 32, 64};
  const Interval found =
      bca_interval(values, sorted_interquartile_mean, interquartile_means_without_each, 3, 999)
          .value.value();
  for (const double factor : {std::ldexp(1.0, -400), 1.0, std::ldexp(1.0, 400)}) {
    std::vector<double> scaled = values;
    for (double& value : scaled) value *= factor;
    const Interval other =
        bca_interval(scaled, sorted_interquartile_mean, interquartile_means_without_each, 3, 999)
            .value.value();
    EXPECT_DOUBLE_EQ(other.low, found.low * factor);
    EXPECT_DOUBLE_EQ(other.high, found.high * factor);
  }
  std::vector<double> moved = values;
  for (double& value : moved) value += 1e9;
  const Interval far =
      bca_interval(moved, sorted_interquartile_mean, interquartile_means_without_each, 3, 999)
          .value.value();
  EXPECT_NEAR(far.low - 1e9, found.low, 1e-6);
  EXPECT_NEAR(far.high - 1e9, found.high, 1e-6);
}

TEST(Bootstrap, OfEqualValuesIsThePoint) {
  const Figure<Interval> found =
      bca_interval({0.1, 0.1, 0.1}, sorted_interquartile_mean, interquartile_means_without_each, 1);
  EXPECT_EQ(found.value.value().low, 0.1);
  EXPECT_EQ(found.value.value().high, 0.1);
}

TEST(Bootstrap, AFewDivergedRunsNeedNotMatter) {
  const std::vector<double> values = reference_sample("normal_30");
  const Interval before =
      bca_interval(values, sorted_interquartile_mean, interquartile_means_without_each, 1)
          .value.value();
  std::vector<double> one_high = values;
  *std::max_element(one_high.begin(), one_high.end()) = kInfinity;
  const Interval high =
      bca_interval(one_high, sorted_interquartile_mean, interquartile_means_without_each, 1)
          .value.value();
  EXPECT_NEAR(high.low, before.low, 0.01);
  EXPECT_GE(high.high, before.high - 0.01);
  EXPECT_LT(high.high, before.high + 0.1);
  std::vector<double> one_low = values;
  *std::min_element(one_low.begin(), one_low.end()) = -kInfinity;
  const Interval low =
      bca_interval(one_low, sorted_interquartile_mean, interquartile_means_without_each, 1)
          .value.value();
  EXPECT_NEAR(low.high, before.high, 0.01);
  EXPECT_LE(low.low, before.low + 0.01);
  EXPECT_GT(low.low, before.low - 0.1);
}

TEST(Bootstrap, WhatCannotBeComputedHasAReason) {
  const auto reason = [](const std::vector<double>& values, const SortedStatistic& statistic) {
    const Figure<Interval> found = bca_interval(values, statistic, one_by_one(statistic), 1, 99);
    EXPECT_FALSE(found.value) << found.reason;
    return found.reason;
  };
  EXPECT_EQ(reason({}, sum_of), "needs at least two seeds");
  EXPECT_EQ(reason({1}, sum_of), "needs at least two seeds");
  EXPECT_EQ(reason({1, kNan}, sum_of), "a value is not a number");
  EXPECT_EQ(reason({1, kInfinity}, sum_of), "too many runs have no value");
  EXPECT_EQ(reason({kInfinity, kInfinity}, sum_of), "too many runs have no value");
  EXPECT_EQ(reason({1, 2, 3, kInfinity}, sorted_interquartile_mean), "too many runs have no value");
  EXPECT_EQ(reason({-kInfinity, 1, 2, 3, 4, 5, 6, kInfinity}, sorted_interquartile_mean),
            "too many runs have no value");
  EXPECT_EQ(reason({0, 1, 1, 1, 2}, sorted_interquartile_mean),
            "leaving out any one seed changes nothing");
  // The sum of unlike values is largest when none is drawn twice.
  const auto sum_of_unlike = [](std::vector<double> values) {
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return sum_of(values);
  };
  EXPECT_EQ(reason(reference_sample("skewed_30"), sum_of_unlike),
            "all resamples lie to one side of the statistic");
  EXPECT_THROW(bca_interval({1, 2}, sum_of, one_by_one(sum_of), 1, 0), std::logic_error);
  EXPECT_THROW(bca_interval({1, 2}, sum_of, one_by_one(sum_of), 1, 99, 1), std::logic_error);
}

}  // namespace
}  // namespace qkvlab
