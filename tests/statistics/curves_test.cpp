#include "statistics/curves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/numbers.hpp"

namespace qkvlab {
namespace {

TEST(Curves, EachStepHasTheMeanAndItsInterval) {
  // 2.776445105 is the 97.5 % point of Student's t with 4 degrees of freedom (any printed table);
  // 1, 2, 3, 4, 5 have the deviation sqrt(2.5).
  std::vector<Series> runs;
  for (const float value : {5.0f, 3.0f, 1.0f, 2.0f, 4.0f})
    runs.push_back({{1, 10}, {value, 2 * value}});
  std::vector<const Series*> of_variant;
  for (const Series& run : runs) of_variant.push_back(&run);
  const Curve curve = curve_of(of_variant);
  ASSERT_EQ(curve.size(), 2u);
  const double half = 2.776445105 * std::sqrt(2.5 / 5);
  for (size_t i = 0; i < 2; ++i) {
    const double factor = i == 0 ? 1 : 2;
    EXPECT_EQ(curve[i].step, i == 0 ? 1 : 10);
    EXPECT_EQ(curve[i].n, 5);
    EXPECT_EQ(curve[i].not_finite, 0);
    EXPECT_DOUBLE_EQ(curve[i].mean.value(), factor * 3);
    EXPECT_NEAR(curve[i].band.value().low, factor * (3 - half), 1e-8);
    EXPECT_NEAR(curve[i].band.value().high, factor * (3 + half), 1e-8);
  }
}

TEST(Curves, StepsThatNotAllRunsHaveAreOfThoseThatHaveThem) {
  const Series whole{{0, 1, 2, 3}, {1, 2, 3, 4}}, stopped{{0, 1}, {3, 4}}, sparse{{1, 3}, {6, 8}};
  const Curve curve = curve_of({&whole, &stopped, &sparse});
  const std::vector<int64_t> n = {2, 3, 1, 2};
  const std::vector<double> mean = {2, 4, 3, 6};
  ASSERT_EQ(curve.size(), n.size());
  for (size_t i = 0; i < n.size(); ++i) {
    EXPECT_EQ(curve[i].step, static_cast<int64_t>(i));
    EXPECT_EQ(curve[i].n, n[i]);
    EXPECT_DOUBLE_EQ(curve[i].mean.value(), mean[i]);
    EXPECT_EQ(curve[i].band.has_value(), n[i] > 1);
  }
}

TEST(Curves, WhatIsNotFiniteIsCountedAndLeftOut) {
  const Series a{{1, 2}, {1, kNan}}, b{{1, 2}, {kInfinity, -kInfinity}}, c{{1}, {3}};
  const Curve curve = curve_of({&a, &b, &c});
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_EQ(curve[0].n, 2);
  EXPECT_EQ(curve[0].not_finite, 1);
  EXPECT_DOUBLE_EQ(curve[0].mean.value(), 2);
  EXPECT_EQ(curve[1].n, 0);
  EXPECT_EQ(curve[1].not_finite, 2);
  EXPECT_FALSE(curve[1].mean.has_value());
  EXPECT_FALSE(curve[1].band.has_value());
}

TEST(Curves, StepsStandInOrderAndOfOneRunOnce) {
  const Series shuffled{{5, 1, 5, 3}, {1, 2, 7, 4}}, other{{5}, {9}};
  const Curve curve = curve_of({&shuffled, &other});
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_EQ(curve[0].step, 1);
  EXPECT_EQ(curve[1].step, 3);
  EXPECT_EQ(curve[2].step, 5);
  EXPECT_EQ(curve[2].n, 2);
  EXPECT_DOUBLE_EQ(curve[2].mean.value(), 8);
}

TEST(Curves, OfNoRunsThereIsNothing) {
  const Series empty;
  EXPECT_TRUE(curve_of({}).empty());
  EXPECT_TRUE(curve_of({&empty}).empty());
}

/// Steps of a line that jumps up and down, with one peak and one hole.
Series jumping(int64_t count) {
  Series series;
  for (int64_t i = 0; i < count; ++i) {
    series.steps.push_back(3 * i);
    series.values.push_back(static_cast<float>((i * 7919) % 997));
  }
  series.values[static_cast<size_t>(count / 3)] = 1e6f;
  series.values[static_cast<size_t>(count / 2)] = -1e6f;
  return series;
}

TEST(Thin, KeepsEndsAndTheExtremesOfEveryShare) {
  const Series series = jumping(1000);
  for (const size_t most : {4, 5, 10, 101, 999}) {
    const Series thinned = thin(series, most);
    EXPECT_LE(thinned.steps.size(), most);
    EXPECT_EQ(thinned.steps.front(), 0);
    EXPECT_EQ(thinned.steps.back(), 3 * 999);
    EXPECT_TRUE(std::is_sorted(thinned.steps.begin(), thinned.steps.end()));
    const std::set<int64_t> kept(thinned.steps.begin(), thinned.steps.end());
    EXPECT_EQ(kept.size(), thinned.steps.size()) << "no point twice";
    for (size_t i = 0; i < thinned.steps.size(); ++i) {
      EXPECT_EQ(thinned.values[i], series.values[static_cast<size_t>(thinned.steps[i] / 3)]);
    }
    // The shares, by a loop of the test's own: their extremes are among what was kept.
    const size_t shares = (most - 2) / 2;
    for (size_t share = 0; share < shares; ++share) {
      const auto begin = series.values.begin() + 1 + static_cast<int64_t>(share * 998 / shares);
      const auto end = series.values.begin() + 1 + static_cast<int64_t>((share + 1) * 998 / shares);
      for (const auto extreme : {std::min_element(begin, end), std::max_element(begin, end)}) {
        EXPECT_TRUE(kept.count(3 * (extreme - series.values.begin()))) << share << " of " << shares;
      }
    }
  }
}

TEST(Thin, WhatFitsStaysAsItIs) {
  const Series series = jumping(10);
  EXPECT_EQ(thin(series, 10).steps, series.steps);
  EXPECT_EQ(thin(series, 11).values, series.values);
  EXPECT_LE(thin(series, 9).steps.size(), 9u);
  EXPECT_TRUE(thin(Series(), 4).steps.empty());
}

TEST(Thin, WhatIsNotFiniteIsNoExtremeButAHoleStays) {
  Series series;
  for (int64_t i = 0; i < 102; ++i) {
    series.steps.push_back(i);
    const bool in_hole = i > 50 && i <= 75;
    series.values.push_back(in_hole ? kNan : i % 10 == 1 ? -kInfinity : static_cast<float>(i));
  }
  // Four shares of 25: 1 to 25, 26 to 50, the hole, 76 to 100.
  EXPECT_EQ(thin(series, 10).steps, (std::vector<int64_t>{0, 2, 25, 26, 50, 51, 76, 100, 101}));
}

TEST(ThinTogether, CurvesKeepTheSameStepsAndThePeaksOfMeansAndBands) {
  Curve left, right;
  for (int64_t i = 0; i < 500; ++i) {
    left.push_back({i, 3, 0, i == 20 ? 9.0 : i == 300 ? -9.0 : 0, Interval{-1, 1}});
    right.push_back({i, 3, 0, 0.0,
                     i == 123   ? Interval{-7, 1}
                     : i == 321 ? Interval{-1, 8}
                                : Interval{-1, 1}});
  }
  const std::vector<Curve> thinned = thin_together({left, right}, 60);
  std::vector<std::set<int64_t>> steps(2);
  for (size_t i = 0; i < 2; ++i) {
    for (const CurvePoint& point : thinned[i]) steps[i].insert(point.step);
  }
  EXPECT_EQ(steps[0], steps[1]);
  EXPECT_LE(steps[0].size(), 60u);
  for (const int64_t peak : {0, 20, 123, 300, 321, 499})
    EXPECT_EQ(steps[0].count(peak), 1u) << peak;
  const auto at = [](const Curve& curve, int64_t step) {
    return *std::find_if(curve.begin(), curve.end(),
                         [&](const CurvePoint& point) { return point.step == step; });
  };
  EXPECT_EQ(at(thinned[0], 300).mean, -9);
  EXPECT_EQ(at(thinned[0], 300).n, 3);
  EXPECT_EQ(at(thinned[1], 321).band->high, 8);
}

TEST(ThinTogether, FewStepsStayAsTheyAre) {
  const Curve left = {{1, 2, 0, 1.0, {}}, {3, 2, 0, 2.0, {}}}, right = {{2, 2, 0, 1.0, {}}};
  const std::vector<Curve> thinned = thin_together({left, right}, 4);
  EXPECT_EQ(thinned[0].size(), 2u);
  EXPECT_EQ(thinned[1].size(), 1u);
  EXPECT_TRUE(thin_together({}, 4).empty());
}

TEST(Thin, AMillionPointsTakeNoTime) {
  const Series series = jumping(1000000);
  const Series thinned = thin(series, 2000);
  EXPECT_LE(thinned.steps.size(), 2000u);
  EXPECT_EQ(*std::max_element(thinned.values.begin(), thinned.values.end()), 1e6f);
  EXPECT_EQ(*std::min_element(thinned.values.begin(), thinned.values.end()), -1e6f);
}

}  // namespace
}  // namespace qkvlab
