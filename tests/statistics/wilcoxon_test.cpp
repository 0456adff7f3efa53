#include "statistics/wilcoxon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "support/numbers.hpp"
#include "support/statistics_reference.hpp"

namespace qkvlab {
namespace {

/// By the definition: midranks by counting, and every pattern of signs.
Wilcoxon enumerated(std::vector<int64_t> differences) {
  differences.erase(std::remove(differences.begin(), differences.end(), 0), differences.end());
  std::vector<double> ranks;
  for (const int64_t one : differences) {
    double rank = 0.5;
    for (const int64_t other : differences) {
      if (std::abs(other) < std::abs(one)) rank += 1;
      if (std::abs(other) == std::abs(one)) rank += 0.5;
    }
    ranks.push_back(rank);
  }
  const auto smaller_sum = [&ranks](const auto& is_positive) {
    double positive = 0;
    double negative = 0;
    for (size_t i = 0; i < ranks.size(); ++i) (is_positive(i) ? positive : negative) += ranks[i];
    return std::min(positive, negative);
  };
  Wilcoxon found;
  found.statistic = smaller_sum([&](size_t i) { return differences[i] > 0; });
  const size_t patterns = size_t{1} << ranks.size();
  double extreme = 0;
  for (size_t pattern = 0; pattern < patterns; ++pattern) {
    if (smaller_sum([&](size_t i) { return (pattern >> i) % 2 == 1; }) <= found.statistic)
      ++extreme;
  }
  found.p = extreme / static_cast<double>(patterns);
  return found;
}

Wilcoxon test_of(const std::vector<double>& differences) {
  return wilcoxon_signed_rank(differences).value.value();
}

TEST(WilcoxonTest, IsSciPysWhereNothingIsTied) {
  for (const auto& [name, expected] : statistics_reference().at("wilcoxon_exact").items()) {
    const Wilcoxon found = test_of(reference_sample(name));
    expect_close(found.p, expected.at("p"), name);
    EXPECT_EQ(found.statistic, expected.at("statistic")) << name;
    EXPECT_TRUE(found.exact) << name;
  }
}

TEST(WilcoxonTest, OfManyDifferencesIsSciPysNormalApproximation) {
  for (const auto& [name, expected] : statistics_reference().at("wilcoxon_approximate").items()) {
    const Wilcoxon found = test_of(reference_sample(name));
    expect_close(found.p, expected.at("p"), name);
    EXPECT_EQ(found.statistic, expected.at("statistic")) << name;
    EXPECT_FALSE(found.exact) << name;
  }
}

TEST(WilcoxonTest, TiesAndZerosAreCountedAsByEnumeration) {
  std::mt19937_64 random(1);
  for (size_t n = 1; n <= 14; ++n) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<int64_t> differences;
      std::vector<double> accuracies;  // differences of shares, not exact as doubles
      for (size_t i = 0; i < n; ++i) {
        differences.push_back(static_cast<int64_t>(random() % 11) - 5);
        const auto from = static_cast<int64_t>(20 + random() % 20);
        accuracies.push_back(static_cast<double>(from + differences.back()) / 50 -
                             static_cast<double>(from) / 50);
      }
      const Wilcoxon expected = enumerated(differences);
      const Wilcoxon found = test_of(accuracies);
      EXPECT_DOUBLE_EQ(found.p, expected.p) << n;
      EXPECT_EQ(found.statistic, expected.statistic) << n;
    }
  }
}

TEST(WilcoxonTest, DifferencesAreTiedThoughRoundingSetsThemApart) {
  const double one = 0.95 - 0.93;
  const double other = 0.87 - 0.85;
  ASSERT_NE(one, other);
  // Ranks 1.5, 1.5 and 3: two of eight patterns come to 0 or 6, four to 1.5 or 4.5.
  EXPECT_EQ(test_of({one, -other, 0.5}).statistic, 1.5);
  EXPECT_EQ(test_of({one, -other, 0.5}).p, 0.75);
}

TEST(WilcoxonTest, ExactAndNormalMeetWhereOneTakesOverFromTheOther) {
  std::vector<double> differences;
  for (int i = 1; i <= kExactWilcoxon; ++i) differences.push_back(i % 7 < 3 ? -i : i);
  const Wilcoxon exact = test_of(differences);
  const auto n = static_cast<double>(kExactWilcoxon);
  const double z = (exact.statistic - n * (n + 1) / 4) / std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  EXPECT_TRUE(exact.exact);
  EXPECT_NEAR(exact.p / std::erfc(-z / std::sqrt(2.0)), 1, 0.02);
  differences.push_back(0);
  EXPECT_TRUE(test_of(differences).exact) << "zeros do not count";
  differences.push_back(1000);
  EXPECT_FALSE(test_of(differences).exact);
}

TEST(WilcoxonTest, DivergedRunsShareTheLargestRank) {
  EXPECT_EQ(test_of({1, -2, kInfinity, -kInfinity}).statistic,
            enumerated({1, -2, 9, -9}).statistic);
  EXPECT_EQ(test_of({1, -2, kInfinity, kInfinity}).p, enumerated({1, -2, 9, 9}).p);
  EXPECT_EQ(test_of({-kInfinity, -kInfinity, -kInfinity}).p, 0.25);
  EXPECT_EQ(test_of({1e308, -kInfinity}).statistic, 1) << "a huge one is not infinite";
}

TEST(WilcoxonTest, DegenerateDifferencesHaveADefinedAnswerOrAReason) {
  EXPECT_EQ(test_of({0, 0}).p, 1);
  EXPECT_EQ(test_of({0, 0}).statistic, 0);
  EXPECT_EQ(test_of({5}).p, 1);
  EXPECT_EQ(test_of({5, 7}).p, 0.5);
  EXPECT_EQ(test_of({5, -5}).p, 1);
  EXPECT_EQ(wilcoxon_signed_rank({}).reason, "needs at least one seed");
  EXPECT_EQ(wilcoxon_signed_rank({1, kNan}).reason, "a value is not a number");
  const std::vector<double> many(1000, 2.5);
  EXPECT_LT(test_of(many).p, 1e-100);
}

}  // namespace
}  // namespace qkvlab
