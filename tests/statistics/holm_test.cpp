#include "statistics/holm.hpp"

#include <gtest/gtest.h>

#include "support/statistics_reference.hpp"

namespace qkvlab {
namespace {

TEST(Holm, IsThatOfItsDefinition) {
  for (const auto& expected : statistics_reference().at("holm")) {
    const auto p = expected.at("p").get<std::vector<double>>();
    const std::vector<double> found = holm(p);
    ASSERT_EQ(found.size(), p.size());
    for (size_t i = 0; i < p.size(); ++i)
      expect_close(found[i], expected.at("adjusted").at(i), expected.dump());
  }
}

TEST(Holm, ByHand) {
  // Sorted 0.01, 0.02, 0.3: times 3, 2, 1.
  const std::vector<double> found = holm({0.3, 0.01, 0.02});
  EXPECT_DOUBLE_EQ(found[0], 0.3);
  EXPECT_DOUBLE_EQ(found[1], 0.03);
  EXPECT_DOUBLE_EQ(found[2], 0.04);
  // The second would come to 0.022, less than the first; 1.2 is no probability.
  const std::vector<double> monotone = holm({0.011, 0.01, 0.6, 0.6});
  EXPECT_DOUBLE_EQ(monotone[0], 0.04);
  EXPECT_DOUBLE_EQ(monotone[1], 0.04);
  EXPECT_EQ(monotone[2], 1);
  EXPECT_TRUE(holm({}).empty());
}

TEST(Holm, OneThatWereAnotherIsAdjustedAsAmongTheOthers) {
  const std::vector<double> p = {0.03, 0.001, 0.2, 0.03, 0.5, 0.0004, 0.03, 1};
  const HolmLadder ladder(p);
  for (size_t i = 0; i < p.size(); ++i) {
    for (const double instead : {0.0, 0.0002, 0.001, 0.02, 0.03, 0.05, 0.6, 1.0}) {
      std::vector<double> changed = p;
      changed[i] = instead;
      EXPECT_DOUBLE_EQ(ladder.adjusted(p[i], instead), holm(changed)[i]) << p[i] << " " << instead;
    }
  }
  EXPECT_EQ(HolmLadder({0.5}).adjusted(0.5, 0.25), 0.25);
}

}  // namespace
}  // namespace qkvlab
