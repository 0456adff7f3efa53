#include "statistics/distributions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/numbers.hpp"
#include "support/statistics_reference.hpp"

namespace qkvlab {
namespace {

TEST(Distributions, StudentsTIsSciPys) {
  for (const auto& expected : statistics_reference().at("student_t")) {
    const double p = expected.at("p");
    const double df = expected.at("df");
    const double quantile = expected.at("quantile");
    expect_close(student_t_quantile(p, df), quantile, expected.dump());
    expect_close(student_t_two_sided_p(quantile, df), 2 * std::min(p, 1 - p), expected.dump());
    expect_close(student_t_two_sided_p(-quantile, df), 2 * std::min(p, 1 - p), expected.dump());
  }
  EXPECT_EQ(student_t_quantile(0.5, 7), 0);
  EXPECT_EQ(student_t_two_sided_p(0, 7), 1);
  EXPECT_EQ(student_t_two_sided_p(kInfinity, 3), 0);
  EXPECT_EQ(student_t_two_sided_p(-kInfinity, 3), 0);
}

TEST(Distributions, TheNormalDistributionIsSciPys) {
  for (const auto& expected : statistics_reference().at("normal")) {
    const double p = expected.at("p");
    expect_close(normal_quantile(p), expected.at("quantile"), expected.dump());
    expect_close(normal_cdf(expected.at("quantile")), p, expected.dump());
  }
  EXPECT_EQ(normal_cdf(kInfinity), 1);
  EXPECT_EQ(normal_cdf(-kInfinity), 0);
}

TEST(Distributions, HeadsOfAFairCoinAreCountedByPascalsTriangle) {
  double of_n = 1;  // 2^n
  std::vector<double> triangle = {1};
  for (int64_t n = 1; n <= 40; ++n) {
    of_n *= 2;
    triangle.push_back(0);
    for (size_t k = triangle.size() - 1; k > 0; --k) triangle[k] += triangle[k - 1];
    EXPECT_EQ(fair_coin_cdf(-1, n), 0);
    double at_most = 0;
    for (int64_t heads = 0; heads <= n; ++heads) {
      at_most += triangle[heads];
      expect_close(fair_coin_cdf(heads, n), at_most / of_n, std::to_string(n));
    }
  }
}

TEST(Distributions, PowerIsThatOfAnIntegral) {
  for (const auto& expected : statistics_reference().at("power")) {
    const double power = paired_t_power(expected.at("d_z"), expected.at("n"));
    EXPECT_NEAR(power, expected.at("power"), 1e-9) << expected;
    EXPECT_LE(power, 1) << expected;
    EXPECT_EQ(paired_t_power(-expected.at("d_z").get<double>(), expected.at("n")), power);
  }
}

TEST(Distributions, PowerOfAnyEffectAndNumberOfSeedsIsAProbability) {
  for (const double d_z : {0.0, 1e-300, 1e-9, 0.01, 1.0, 90.0, 99.0, 1e3, 1e150, 1e300}) {
    double last = 0;
    for (const int64_t n : {2, 3, 4, 10, 1000, 1000000, 1000000000}) {
      const double power = paired_t_power(d_z, n);
      EXPECT_GE(power, last - 1e-12) << d_z << ", n = " << n;
      EXPECT_LE(power, 1) << d_z << ", n = " << n;
      last = power;
    }
  }
}

TEST(Distributions, PowerOfManySeedsIsThatOfANormalTest) {
  const int64_t n = 1000000000;
  for (const double d_z : {1e-5, 5e-5, 1e-4}) {
    const double shift = d_z * std::sqrt(1e9);
    EXPECT_NEAR(paired_t_power(d_z, n),
                std::erfc((1.959963984540054 - shift) / std::sqrt(2.0)) / 2 +
                    std::erfc((1.959963984540054 + shift) / std::sqrt(2.0)) / 2,
                1e-7);
  }
}

TEST(Distributions, WhatIsOutsideOfTheirRangeIsRefused) {
  EXPECT_THROW(student_t_quantile(0, 3), std::logic_error);
  EXPECT_THROW(student_t_quantile(0.5, 0), std::logic_error);
  EXPECT_THROW(student_t_two_sided_p(1, 0), std::logic_error);
  EXPECT_THROW(normal_quantile(1), std::logic_error);
  EXPECT_THROW(fair_coin_cdf(0, 0), std::logic_error);
  EXPECT_THROW(paired_t_power(kInfinity, 3), std::logic_error);
  EXPECT_THROW(paired_t_power(1, 1), std::logic_error);
  EXPECT_THROW(paired_t_power(1, 3, 1e-5), std::logic_error);
}

}  // namespace
}  // namespace qkvlab
