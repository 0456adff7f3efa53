#include "report/plain_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/recorded.hpp"

namespace qkvlab {
namespace {

using Texts = std::vector<std::string>;

Texts words(const std::vector<Observation>& observations, bool higher_is_better = false,
            Unit unit = Unit::kSeed) {
  ComparisonChoice choice;
  choice.metric = "test.loss";
  choice.higher_is_better = higher_is_better;
  choice.unit = unit;
  return plain_words(compare(observations, choice).front());
}

const std::vector<double> kSeven = {1, 2, 3, 4, 5, 6, 7};

TEST(PlainWords, ADifferenceIsSaidWithItsSizeAndDirection) {
  // Differences 1 and 2 in turn: mean 11 / 7, sd √(2 / 7), t quantile 2.446912 for 6 degrees.
  const std::vector<double> higher = {2, 4, 4, 6, 6, 8, 9};
  const Texts worse = words(observations_of("full", kSeven) + observations_of("none", higher));
  ASSERT_EQ(worse.size(), 2u);
  EXPECT_EQ(worse[1],
            "The interval of the IQM of fewer than ten seeds holds the truth in about 90 % instead "
            "of 95 %.");
  EXPECT_EQ(
      worse[0],
      "none differs from full: test.loss is on average 1.57 higher (worse), 95 % CI +1.077 to "
      "+2.066, over 7 seeds; p 0.016 (sign-flip).");
  const Texts better =
      words(observations_of("full", kSeven) + observations_of("none", higher), true);
  EXPECT_NE(better[0].find("1.57 higher (better)"), std::string::npos) << better[0];
}

TEST(PlainWords, WhatChanceExplainsIsNotADifference) {
  const std::vector<double> mixed = {2, 1, 4, 3, 6, 5, 8};
  const std::string said =
      words(observations_of("full", kSeven) + observations_of("none", mixed))[0];
  EXPECT_EQ(said.rfind("none cannot be told from full: test.loss is on average 0.143 higher", 0),
            0u)
      << said;
  // d_z = (1 / 7) / √(8 / 7) = 0.1336: by SciPy's nct, 441 pairs have a power of 0.7996, 442 of
  // 0.8005.
  EXPECT_NE(said.find(" takes about 442 seeds to be found in 4 of 5 tries."), std::string::npos)
      << said;
}

TEST(PlainWords, TooFewSeedsCannotTellWhateverTheirValues) {
  const std::string said =
      words(observations_of("full", {1, 2, 3}) + observations_of("none", {11, 22, 33}))[0];
  EXPECT_EQ(
      said.rfind("none: 3 seeds cannot tell it from full, whatever their values: the smallest "
                 "p that they can reach is 0.25. So far test.loss is on average 20 higher",
                 0),
      0u)
      << said;
  EXPECT_NE(said.find("takes about 6 seeds"), std::string::npos)
      << "power by t says fewer than the test itself needs: " << said;
}

TEST(PlainWords, ComparingManyAtOnceTakesMoreSeeds) {
  std::vector<Observation> observations = observations_of("full", {1, 2, 3, 4, 5, 6});
  for (const char* name : {"a", "b"}) {
    observations = observations + observations_of(name, {2, 4, 6, 8, 10, 12});
  }
  const std::string said = words(observations)[0];
  EXPECT_EQ(said.rfind(
                "a: 6 seeds are too few to tell it from full beside 1 variant more: the smallest p "
                "that they can reach is 0.031, by Holm 0.062. So far",
                0),
            0u)
      << said;
  EXPECT_NE(said.find(" beside as many variants."), std::string::npos) << said;
}

TEST(PlainWords, WhereRunsDivergedTheRanksDecideAndAMeanIsNotJudged) {
  std::vector<Observation> observations =
      observations_of("full", kSeven) + observations_of("none", {0, 0, 0, 0, 0, 0, 0});
  for (size_t i = 9; i < 14; ++i) observations[i].outcome = Outcome::kDiverged;
  const std::string said = words(observations)[0];
  EXPECT_EQ(said.find("(better)"), std::string::npos) << said;
  // Five infinite differences share the ranks 3 to 7, 1 and 2 are negative: the sums 0 to 3 of
  // 2^7 patterns have four in one tail.
  EXPECT_NE(
      said.find("better in 2 and worse in 5 of 7 pairs, 5 of them with a run that diverged; in "
                "the 2 that finished test.loss is on average 1.5 lower, 95 % CI"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("; p 0.062 (Wilcoxon, runs without a value ranked last)"), std::string::npos)
      << said;
}

TEST(PlainWords, WhereAnotherVariantLeavesRoomNothingIsCalledHopeless) {
  // The other's p is 1: by Holm the first would be twice its own, 2 / 32; it has 8 seeds, 2 / 128.
  const std::vector<double> base = {1, 2, 3, 4, 5, 6, 7, 8};
  const Texts said =
      words(observations_of("full", base) + observations_of("a", {2, 1, 4, 3, 6, 5, 8, 7}) +
            observations_of("b", base));
  EXPECT_EQ(said[0].rfind("a cannot be told from full: ", 0), 0u) << said[0];
}

TEST(PlainWords, EqualValuesAreSaidToBeEqual) {
  const Texts said = words(observations_of("full", kSeven) + observations_of("none", kSeven));
  EXPECT_EQ(said[0], "none: equal to full in each of 7 pairs.");
  EXPECT_EQ(words(observations_of("full", {1, 2, 3}) + observations_of("none", {1, 2, 3}))[0],
            "none: equal to full in each of 3 pairs; 3 seeds cannot tell it from full, whatever "
            "their values: the smallest p that they can reach is 0.25.");
}

TEST(PlainWords, WhatDivergedIsCounted) {
  std::vector<Observation> observations =
      observations_of("full", kSeven) + observations_of("none", kSeven);
  observations[7].outcome = Outcome::kDiverged;
  observations[8].outcome = Outcome::kUnfinished;
  const Texts said = words(observations);
  EXPECT_EQ(
      said[0],
      "none cannot be told from full: better in 0 and worse in 1 of 6 pairs, 1 of them with a "
      "run that diverged; in the 5 that finished test.loss is on average the same, 95 % CI 0 "
      "to 0; p 1 (Wilcoxon, runs without a value ranked last).");
  EXPECT_EQ(said[1],
            "none: 1 seed diverged; mean and sd are of the finished, median and IQM count this as "
            "the worst.");
  EXPECT_EQ(said[2], "none: 1 seed did not finish; that counts nowhere.");
}

TEST(PlainWords, WhatIsMissingIsNamedOnceWithItsReason) {
  const Texts said = words(observations_of("full", {1, 2}) + observations_of("none", {1, 3}));
  EXPECT_NE(
      std::find(said.begin(), said.end(),
                "No interval of the median, interval of the IQM (needs at least 6 seeds): full, "
                "none."),
      said.end());
  EXPECT_NE(std::find(said.begin(), said.end(),
                      "No interval of the median difference (needs at least 6 seeds): none."),
            said.end());
}

TEST(PlainWords, WhatIsNotPairedIsTestedByWelch) {
  std::vector<Observation> observations =
      observations_of("full", kSeven) + observations_of("none", {21, 22, 23});
  for (size_t i = 7; i < observations.size(); ++i) observations[i].seed += 100;
  EXPECT_EQ(words(observations)[0].rfind(
                "none is not paired with full, since no seed is in both; by Welch's test it "
                "differs: test.loss is on average 18 higher (worse), 95 % CI +",
                0),
            0u)
      << words(observations)[0];
}

TEST(PlainWords, AveragedCellsAndAClaimAreSaid) {
  std::vector<Observation> observations =
      observations_of("full", kSeven) + observations_of("full", kSeven);
  for (size_t i = 0; i < observations.size(); ++i) observations[i].cell = i < 7 ? "h=0" : "h=1";
  EXPECT_EQ(words(observations)[0],
            "A seed's value is the mean over its 2 cells (h=0, h=1), which are not independent: n "
            "counts seeds.");
  EXPECT_EQ(words(observations, false, Unit::kCell)[0],
            "By your claim (--unit cell) each cell of a seed counts as independent of the others; "
            "if they share data, all p and intervals here are too small.");
}

}  // namespace
}  // namespace qkvlab
