#include "statistics/effect.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <stdexcept>

#include "statistics/distributions.hpp"
#include "statistics/sign_flip.hpp"
#include "support/numbers.hpp"
#include "support/statistics_reference.hpp"

namespace qkvlab {
namespace {

TEST(Effect, MeanInUnitsOfTheDeviation) {
  EXPECT_DOUBLE_EQ(d_z({1, 2, 3}).value.value(), 2);  // mean 2, sd 1
  EXPECT_DOUBLE_EQ(d_z({-1e9 - 1, -1e9 - 2, -1e9 - 3}).value.value(), -1e9 - 2);
  EXPECT_EQ(d_z({-1, 1}).value, 0);
  EXPECT_EQ(d_z({1}).reason, "needs at least two seeds");
  EXPECT_EQ(d_z({0, 0, 0}).reason, "the differences do not vary");
  EXPECT_EQ(d_z({0.1, 0.1, 0.1}).reason, "the differences do not vary");
  EXPECT_EQ(d_z({1, kInfinity}).reason, "a run has no value");
  EXPECT_EQ(d_z({1, kNan}).reason, "a value is not a number");
  EXPECT_DOUBLE_EQ(d_z({1e200, 3e200}).value.value(), std::sqrt(2))
      << "though its squares overflow";
  EXPECT_DOUBLE_EQ(d_z({1e-300, 3e-300}).value.value(), std::sqrt(2)) << "though these vanish";
  EXPECT_EQ(d_z({1.7e308, -1.7e308}).reason, "the values are too large to compute with");
}

TEST(Effect, ShareOfSeedsForTheBetter) {
  EXPECT_EQ(improvement_probability({1, 2, -3, 0}, true).value, 0.625);
  EXPECT_EQ(improvement_probability({1, 2, -3, 0}, false).value, 0.375);
  EXPECT_EQ(improvement_probability({kInfinity, -1, -kInfinity, -2}, true).value, 0.25);
  EXPECT_EQ(improvement_probability({0}, true).value, 0.5);
  EXPECT_EQ(improvement_probability({}, true).reason, "needs at least one seed");
  EXPECT_EQ(improvement_probability({kNan}, true).reason, "a value is not a number");
}

TEST(Effect, TheSmallestPIsThatOfDifferencesThatAllAgree) {
  for (const int64_t n : {1, 2, 5, 6, 20}) {
    EXPECT_EQ(smallest_sign_flip_p(n), sign_flip_test(std::vector<double>(n, 1.0), 1).value->p)
        << n;
  }
  EXPECT_EQ(smallest_sign_flip_p(6), 1.0 / 32);
  EXPECT_EQ(smallest_sign_flip_p(60, 999), 0.001);
  EXPECT_EQ(smallest_sign_flip_p(60, 999),
            sign_flip_test(std::vector<double>(60, 1.0), 1, 999).value->p);
  EXPECT_THROW(smallest_sign_flip_p(0), std::logic_error);
}

TEST(Effect, SeedsForAPowerAreThoseOfAnIntegral) {
  for (const auto& expected : statistics_reference().at("seeds_for_power")) {
    const double d_z = expected.at("d_z");
    EXPECT_EQ(seeds_for_power(d_z, expected.at("power")).value, expected.at("n")) << expected;
    EXPECT_EQ(seeds_for_power(-d_z, expected.at("power")).value, expected.at("n")) << expected;
  }
}

TEST(Effect, ASeedLessWouldBeTooFew) {
  for (const double effect : {1e-4, 0.013, 0.4, 2.0}) {
    const int64_t n = seeds_for_power(effect).value.value();
    EXPECT_GE(paired_t_power(effect, n), 0.8) << effect;
    EXPECT_LT(paired_t_power(effect, n - 1), 0.8) << effect;
  }
}

TEST(Effect, SomeEffectsNoNumberOfSeedsFinds) {
  EXPECT_EQ(seeds_for_power(0).reason, "there is no difference to find");
  EXPECT_EQ(seeds_for_power(kInfinity).reason, "the size of the difference is not finite");
  EXPECT_EQ(seeds_for_power(kNan).reason, "the size of the difference is not finite");
  // (1.96 + 0.84)² / d_z² = 7.85 / d_z² reaches 10⁹ at 8.86e-5.
  EXPECT_EQ(seeds_for_power(8.8e-5).reason, "would take more than 1,000,000,000 seeds");
  EXPECT_NEAR(static_cast<double>(seeds_for_power(8.9e-5).value.value()), 7.84888 / 7.921e-9, 1e4);
  EXPECT_EQ(seeds_for_power(1e300).value, 2);
  EXPECT_THROW(seeds_for_power(1, 1), std::logic_error);
}

}  // namespace
}  // namespace qkvlab
