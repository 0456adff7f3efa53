#include "statistics/sign_flip.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <stdexcept>

#include "support/numbers.hpp"
#include "support/statistics_reference.hpp"

namespace qkvlab {
namespace {

/// The exact p of whole numbers, by counting the sums of all patterns of signs.
double counted_p(const std::vector<int64_t>& differences) {
  std::map<int64_t, double> share = {{0, 1}};
  int64_t observed = 0;
  for (const int64_t difference : differences) {
    std::map<int64_t, double> next;
    for (const auto& [sum, of_sum] : share) {
      next[sum + difference] += of_sum / 2;
      next[sum - difference] += of_sum / 2;
    }
    share = next;
    observed += difference;
  }
  double p = 0;
  for (const auto& [sum, of_sum] : share) p += std::abs(sum) >= std::abs(observed) ? of_sum : 0;
  return p;
}

/// n whole numbers within ±9, some equal and some zero.
std::vector<int64_t> drawn(size_t n, std::mt19937_64& random) {
  std::vector<int64_t> differences;
  for (size_t i = 0; i < n; ++i) differences.push_back(static_cast<int64_t>(random() % 19) - 9);
  return differences;
}

/// In units that no double holds exactly.
std::vector<double> in_thirtieths(const std::vector<int64_t>& differences) {
  std::vector<double> values;
  for (const int64_t difference : differences)
    values.push_back(0.7 - (0.7 - static_cast<double>(difference) / 30));
  return values;
}

TEST(SignFlip, IsSciPysPermutationTest) {
  for (const auto& [name, expected] : statistics_reference().at("sign_flip").items()) {
    const std::vector<double> differences = reference_sample(name);
    const SignFlip found = sign_flip_test(differences, 1).value.value();
    expect_close(found.p, expected, name);
    EXPECT_TRUE(found.exact) << name;
    EXPECT_EQ(found.flips, int64_t{1} << differences.size()) << name;
  }
}

TEST(SignFlip, TiesAndZerosAreCountedAsByWholeNumbers) {
  std::mt19937_64 random(1);
  for (size_t n = 1; n <= 20; ++n) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const std::vector<int64_t> differences = drawn(n, random);
      const SignFlip found = sign_flip_test(in_thirtieths(differences), 1).value.value();
      EXPECT_DOUBLE_EQ(found.p, counted_p(differences)) << n;
    }
  }
}

TEST(SignFlip, AMeanThatIsZeroButForRoundingIsReachedByAll) {
  EXPECT_NE(0.1 + 0.2 - 0.3, 0);
  EXPECT_EQ(sign_flip_test({0.1, 0.2, -0.3, 0.3, -0.3}, 1).value.value().p, 1);
  EXPECT_EQ(sign_flip_test({0, 0, 0}, 1).value.value().p, 1);
  EXPECT_EQ(sign_flip_test(std::vector<double>(30, 0.0), 1).value.value().p, 1);
}

TEST(SignFlip, RandomFlipsComeCloseToTheExactP) {
  std::mt19937_64 random(2);
  for (const size_t n : {21, 24, 63, 64, 65, 200}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      const std::vector<int64_t> differences = drawn(n, random);
      const double p = counted_p(differences);
      const SignFlip found = sign_flip_test(in_thirtieths(differences), 3).value.value();
      EXPECT_FALSE(found.exact);
      EXPECT_EQ(found.flips, 99999);
      EXPECT_NEAR(found.p, p, 5 * std::sqrt(p * (1 - p) / 99999) + 1e-5) << n;
    }
  }
}

TEST(SignFlip, RandomFlipsNeverGiveZeroAndDependOnTheSeedAlone) {
  const std::vector<double> clear(100, 1.0);
  EXPECT_DOUBLE_EQ(sign_flip_test(clear, 1, 999).value.value().p, 0.001);
  std::mt19937_64 random(4);
  const std::vector<double> differences = in_thirtieths(drawn(100, random));
  const double p = sign_flip_test(differences, 1).value.value().p;
  EXPECT_EQ(sign_flip_test(differences, 1).value.value().p, p);
  EXPECT_NE(sign_flip_test(differences, 2).value.value().p, p);
}

TEST(SignFlip, TheSignAndUnitOfDifferencesDoNotMatter) {
  const std::vector<double> differences = {1, 2, -3, 4, 5, 7};
  const double p = sign_flip_test(differences, 1).value.value().p;
  for (const double factor : {-1.0, 1e-300, 1e300}) {
    std::vector<double> scaled = differences;
    for (double& difference : scaled) difference *= factor;
    EXPECT_EQ(sign_flip_test(scaled, 1).value.value().p, p) << factor;
  }
}

TEST(SignFlip, WhatCannotBeComputedHasAReason) {
  EXPECT_EQ(sign_flip_test({}, 1).reason, "needs at least one seed");
  EXPECT_EQ(sign_flip_test({1, kInfinity}, 1).reason, "a run has no value");
  EXPECT_EQ(sign_flip_test({1, kNan}, 1).reason, "a value is not a number");
  EXPECT_EQ(sign_flip_test({1e308, 1e308}, 1).reason, "the values are too large to compute with");
  EXPECT_THROW(sign_flip_test({1}, 1, 0), std::logic_error);
}

}  // namespace
}  // namespace qkvlab
