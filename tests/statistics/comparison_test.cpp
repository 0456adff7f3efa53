#include "statistics/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/recorded.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Texts = std::vector<std::string>;

ComparisonChoice choice(const std::string& baseline = "") {
  ComparisonChoice choice;
  choice.metric = "test.loss";
  choice.baseline = baseline;
  choice.higher_is_better = false;
  return choice;
}

Comparison compare_one(const std::vector<Observation>& observations,
                       const ComparisonChoice& how = choice()) {
  const std::vector<Comparison> comparisons = compare(observations, how);
  EXPECT_EQ(comparisons.size(), 1u);
  return comparisons.front();
}

std::vector<Observation> observe(const std::vector<RecordedRun>& runs) {
  std::vector<Observation> observations;
  for (const RecordedRun& run : runs) {
    Observation observation;
    observation.variant = run.begin.variant;
    observation.seed = run.begin.seed;
    observation.value = run.series.at("test.loss").values.back();
    observation.run = &run;
    observation.place = place_of(run);
    observations.push_back(observation);
  }
  return observations;
}

TEST(Comparison, PairsAreMadeBySeedNeverByPosition) {
  std::vector<Observation> observations = observations_of("a", {0, 10, 20});
  std::vector<Observation> others = observations_of("b", {21, 11, 1});
  for (size_t i = 0; i < others.size(); ++i) others[i].seed = 2 - static_cast<int64_t>(i);
  const Comparison comparison = compare_one(observations + others);
  const PairedComparison& paired = *comparison.variants[1].paired;
  EXPECT_EQ(paired.differences.finished,
            (std::map<UnitId, double>{{{0, ""}, 1}, {{1, ""}, 1}, {{2, ""}, 1}}));
  EXPECT_EQ(*paired.mean.value, 1);
  EXPECT_EQ(paired.mean_ci.value->low, 1);
  EXPECT_EQ(paired.mean_ci.value->high, 1);
  EXPECT_EQ(paired.sign_flip.value->p, 0.25);
  EXPECT_EQ(*paired.smallest_p.value, 0.25);
  EXPECT_EQ(*paired.p_improvement.value, 0) << "a higher loss is worse";
  EXPECT_FALSE(paired.d_z.value.has_value());
}

TEST(Comparison, EveryFigureByHand) {
  const Comparison comparison =
      compare_one(observations_of("a", {1, 2, 3, 4}) + observations_of("b", {2, 2, 5, 9}));
  const VariantComparison& b = comparison.variants[1];
  EXPECT_EQ(b.n, 4);
  EXPECT_EQ(*b.mean.value, 4.5);
  EXPECT_EQ(*b.median.value, 3.5);
  EXPECT_EQ(*b.iqm.value, 3.5);
  // Differences 1, 0, 2, 5: mean 2, squares about it 1 + 4 + 0 + 9, sd √(14 / 3).
  EXPECT_EQ(*b.paired->mean.value, 2);
  EXPECT_EQ(*b.paired->median.value, 1.5);
  EXPECT_NEAR(*b.paired->d_z.value, 2 / std::sqrt(14.0 / 3), 1e-12);
  // All 16 patterns: |sum| = 8 where 1, 2 and 5 have one sign, whatever that of 0: 4 of 16.
  EXPECT_EQ(b.paired->sign_flip.value->p, 0.25);
  EXPECT_EQ(*b.paired->p_improvement.value, 0.125);
  EXPECT_EQ(*b.paired->smallest_p.value, 0.125);
}

TEST(Comparison, RoundingIsNoDifference) {
  // 0.1 + 0.2 is not 0.3, and 0.25 more than either is the same difference.
  const Comparison comparison = compare_one(observations_of("a", {0.3, 0.1, 0.7}) +
                                            observations_of("b", {0.1 + 0.2, 0.1, 0.7}) +
                                            observations_of("c", {0.1 + 0.2 + 0.25, 0.35, 0.95}));
  EXPECT_EQ(comparison.variants[1].paired->differences.finished.at({0, ""}), 0);
  EXPECT_EQ(comparison.variants[2].paired->d_z.reason, "the differences do not vary");
}

TEST(Comparison, AnInfiniteDifferenceHasARankButNoMean) {
  std::vector<Observation> observations =
      observations_of("a", {1, 1, 1, 1, 1}) + observations_of("b", {2, 2, 2, 2, 2});
  observations[5].outcome = Outcome::kDiverged;                            // b's seed 0
  observations[1].outcome = Outcome::kNotReached;                          // a's seed 1
  observations[2].outcome = observations[7].outcome = Outcome::kDiverged;  // seed 2 of both
  observations[3].outcome = Outcome::kUnfinished;                          // a's seed 3
  const Comparison comparison = compare_one(observations);
  const VariantComparison& a = comparison.variants[0];
  const VariantComparison& b = comparison.variants[1];
  EXPECT_EQ(a.n, 2);
  EXPECT_EQ(a.diverged, 1);
  EXPECT_EQ(a.not_reached, 1);
  EXPECT_EQ(a.unfinished, 1);
  EXPECT_EQ(*a.mean.value, 1);
  EXPECT_FALSE(a.median.value.has_value()) << "two of four are at the worst end";
  EXPECT_EQ(b.n, 3);
  EXPECT_EQ(*b.median.value, 2) << "two of five are";
  EXPECT_EQ(b.paired->differences.ranked,
            (std::map<UnitId, double>{
                {{0, ""}, kInfinity}, {{1, ""}, -kInfinity}, {{2, ""}, 0}, {{4, ""}, 1}}));
  EXPECT_EQ(b.paired->differences.finished, (std::map<UnitId, double>{{{4, ""}, 1}}));
  EXPECT_EQ(b.paired->n, 1);
  EXPECT_EQ(*b.paired->mean.value, 1);
  EXPECT_TRUE(b.paired->is_decided_by_rank());
  EXPECT_EQ(*b.p_holm.value, b.paired->wilcoxon.value->p);
  EXPECT_EQ(*b.paired->smallest_p.value, 0.125) << "of four pairs";
}

TEST(Comparison, WhereHigherIsBetterTheWorstIsLow) {
  ComparisonChoice how = choice();
  how.higher_is_better = true;
  std::vector<Observation> observations = observations_of("a", {1}) + observations_of("b", {1});
  observations[1].outcome = Outcome::kDiverged;
  const Comparison comparison = compare_one(observations, how);
  EXPECT_EQ(comparison.variants[1].paired->differences.ranked.at({0, ""}), -kInfinity);
  EXPECT_EQ(*comparison.variants[1].paired->p_improvement.value, 0);
}

/// Two cells of each seed.
std::vector<Observation> two_cells() {
  std::vector<Observation> observations =
      observations_of("a", {1, 2, 3}) + observations_of("b", {2, 4, 6});
  std::vector<Observation> second =
      observations_of("a", {3, 4, 5}) + observations_of("b", {3, 5, 7});
  for (Observation& one : observations) one.cell = "task=copy";
  for (Observation& one : second) one.cell = "task=sort";
  return observations + second;
}

TEST(Comparison, CellsAreAveragedWithinTheirSeed) {
  const Comparison comparison = compare_one(two_cells());
  EXPECT_EQ(comparison.cells, (Texts{"task=copy", "task=sort"}));
  EXPECT_EQ(comparison.variants[0].values,
            (std::map<UnitId, double>{{{0, ""}, 2}, {{1, ""}, 3}, {{2, ""}, 4}}));
  EXPECT_EQ(comparison.variants[1].paired->differences.finished,
            (std::map<UnitId, double>{{{0, ""}, 0.5}, {{1, ""}, 1.5}, {{2, ""}, 2.5}}));
}

TEST(Comparison, TheUserMayClaimThatCellsAreIndependent) {
  ComparisonChoice how = choice();
  how.unit = Unit::kCell;
  const Comparison comparison = compare_one(two_cells(), how);
  EXPECT_EQ(comparison.variants[1].paired->differences.finished.size(), 6u);
  EXPECT_EQ(comparison.variants[1].paired->differences.finished.at({1, "task=sort"}), 1);
}

TEST(Comparison, ASeedWithoutAllCellsCountsNowhere) {
  std::vector<Observation> observations = two_cells();
  observations.pop_back();  // b, seed 2, sort
  const Comparison comparison = compare_one(observations);
  EXPECT_EQ(comparison.variants[1].incomplete, 1);
  EXPECT_EQ(comparison.variants[1].n, 2);
  EXPECT_EQ(comparison.variants[1].paired->differences.finished.size(), 2u);
  EXPECT_EQ(comparison.warnings, Texts{"b: 1 seed has no pair and is left out of the differences"});
}

TEST(Comparison, AVariantIsComparedInTheCellsThatItHas) {
  std::vector<Observation> observations = two_cells();
  observations.resize(9);  // b without sort
  const Comparison comparison = compare_one(observations);
  EXPECT_EQ(comparison.variants[1].incomplete, 0);
  EXPECT_EQ(*comparison.variants[1].mean.value - *comparison.variants[0].mean.value,
            *comparison.variants[1].paired->mean.value)
      << "values and differences are of the same cells";
  EXPECT_EQ(comparison.variants[1].paired->differences.finished,
            (std::map<UnitId, double>{{{0, ""}, 1}, {{1, ""}, 2}, {{2, ""}, 3}}));
  EXPECT_EQ(comparison.warnings, Texts{"left out, since not all variants have them: task=sort"});
}

TEST(Comparison, CellsThatOnlyOneHasAreNotPaired) {
  std::vector<Observation> observations = two_cells();
  observations.resize(9);
  for (size_t i = 0; i < 6; ++i) observations[i].cell = i < 3 ? "task=sort" : "task=copy";
  observations.erase(observations.begin() + 6, observations.end());
  const VariantComparison b = compare_one(observations).variants[1];
  EXPECT_EQ(b.why_unpaired, "no cell is in all variants");
  EXPECT_EQ(b.unpaired->value->difference, 2) << "4 − 2, each over its own cell";
}

TEST(Comparison, WhereTheDirectionIsUnknownNothingIsBetterAndNothingIsRankedLast) {
  ComparisonChoice how = choice();
  how.higher_is_better.reset();
  std::vector<Observation> observations =
      observations_of("a", {1, 2, 3}) + observations_of("b", {2, 3, 4});
  observations[5].outcome = Outcome::kDiverged;
  const VariantComparison b = compare_one(observations, how).variants[1];
  EXPECT_EQ(b.diverged, 1);
  EXPECT_EQ(*b.median.value, 2.5);
  EXPECT_EQ(b.paired->differences.ranked.size(), 2u);
  EXPECT_FALSE(b.paired->p_improvement.value.has_value());
}

TEST(Comparison, ATableWithoutTheBaselineIsShownWithoutDifferences) {
  std::vector<Observation> observations =
      observations_of("a", {1, 2}) + observations_of("b", {2, 3}) + observations_of("b", {5, 6});
  for (size_t i = 4; i < 6; ++i) observations[i].group = "other";
  const std::vector<Comparison> comparisons = compare(observations, choice("a"));
  EXPECT_TRUE(comparisons[0].variants[1].paired.has_value());
  EXPECT_EQ(*comparisons[1].variants[0].mean.value, 5.5);
  EXPECT_FALSE(comparisons[1].variants[0].paired.has_value());
  EXPECT_EQ(comparisons[1].warnings, Texts{"there is no a here, so nothing is compared with it"});
}

TEST(Comparison, NothingBeyondAllNumbersIsAFigure) {
  const Comparison comparison = compare_one(observations_of("a", {1e308, -1e308, 1e308}) +
                                            observations_of("b", {-1e308, 1e308, 1e308}));
  for (const VariantComparison& variant : comparison.variants) {
    for (const Figure<double>* figure : {&variant.mean, &variant.sd, &variant.p_holm}) {
      EXPECT_TRUE(!figure->value || std::isfinite(*figure->value));
      EXPECT_TRUE(figure->value || !figure->reason.empty());
    }
  }
}

TEST(Comparison, AnOffsetOfTheValuesBreaksNoTies) {
  // Differences 0.1, 0.2, …, some of them equal.
  const std::vector<double> steps = {1, -1, 2, 2, -3, 3, 1, 4, -2, 5, 1, 6};
  const auto of_offset = [&](double offset) {
    std::vector<double> base, other;
    for (size_t i = 0; i < steps.size(); ++i) {
      base.push_back(offset + 0.01 * static_cast<double>(i * i));
      other.push_back(base.back() + 0.1 * steps[i]);
    }
    return compare_one(observations_of("a", base) + observations_of("b", other)).variants[1];
  };
  const VariantComparison near = of_offset(0), far = of_offset(1e6);
  EXPECT_EQ(near.paired->sign_flip.value->p, far.paired->sign_flip.value->p);
  EXPECT_EQ(near.paired->wilcoxon.value->p, far.paired->wilcoxon.value->p);
}

TEST(Comparison, OtherSeedsAreNotPaired) {
  std::vector<Observation> observations =
      observations_of("a", {1, 2, 3}) + observations_of("b", {1, 2, 4});
  for (size_t i = 3; i < 6; ++i) observations[i].seed += 100;
  const VariantComparison b = compare_one(observations).variants[1];
  EXPECT_FALSE(b.paired.has_value());
  EXPECT_EQ(b.why_unpaired, "no seed is in both");
  EXPECT_NEAR(b.unpaired->value->difference, 1.0 / 3, 1e-12);
  EXPECT_EQ(*b.p_holm.value, b.unpaired->value->p);
}

TEST(Comparison, SeedsThatOnlyOneHasAreLeftOutOfTheDifferences) {
  std::vector<Observation> observations =
      observations_of("a", {1, 2, 3, 4}) + observations_of("b", {2, 3, 4});
  for (size_t i = 4; i < 7; ++i) observations[i].seed += 2;
  const Comparison comparison = compare_one(observations);
  EXPECT_EQ(comparison.variants[1].paired->n, 2);
  EXPECT_EQ(comparison.warnings,
            Texts{"b: 3 seeds have no pair and are left out of the differences"});
}

TEST(Comparison, OnePairAmongManyRunsIsNotAllThatIsSaid) {
  std::vector<Observation> observations =
      observations_of("a", {1, 2, 3}) + observations_of("b", {4, 5, 7});
  observations[4].seed = 11;
  observations[5].seed = 12;
  const VariantComparison b = compare_one(observations).variants[1];
  EXPECT_EQ(b.why_unpaired, "one seed alone is in both");
  EXPECT_NEAR(b.unpaired->value->difference, 16.0 / 3 - 2, 1e-12);
}

TEST(Comparison, WhereNoPairHasAValueThereIsNoFigureOfIt) {
  std::vector<Observation> observations =
      observations_of("a", {1, 2, 3}) + observations_of("b", {4, 5, 7});
  for (Observation& one : observations) one.outcome = Outcome::kDiverged;
  const VariantComparison b = compare_one(observations).variants[1];
  EXPECT_FALSE(b.paired->median.value.has_value());
  EXPECT_FALSE(b.paired->wilcoxon.value.has_value());
  EXPECT_FALSE(b.p_holm.value.has_value());
}

TEST(Comparison, RunsThatSawOtherBatchesAreNotPaired) {
  std::vector<RecordedRun> runs;
  for (const char* variant : {"a", "b"}) {
    for (int64_t seed = 0; seed < 2; ++seed) runs.push_back(recorded_run(variant, seed, 1));
  }
  EXPECT_TRUE(compare_one(observe(runs)).variants[1].paired.has_value());
  runs[3].end->batch_digest = "other";
  const VariantComparison b = compare_one(observe(runs)).variants[1];
  EXPECT_FALSE(b.paired.has_value());
  EXPECT_EQ(b.why_unpaired, "the batches of seed 1 differ (by their digests)");
  // A run that ended early saw fewer; then what its config says of batches counts.
  runs[3].end->steps = 7;
  EXPECT_TRUE(compare_one(observe(runs)).variants[1].paired.has_value());
  runs[1].begin.config = R"({"training": {"batch_size": 4, "steps": 10}})";
  runs[3].begin.config = R"({"training": {"batch_size": 2, "steps": 7}})";
  EXPECT_EQ(compare_one(observe(runs)).variants[1].why_unpaired,
            "the batches differ: training.batch_size is 2 in it, 4 in the baseline");
}

TEST(Comparison, RunsThatBeganElsewhereArePairedWithAWord) {
  std::vector<RecordedRun> runs = {recorded_run("a", 0, 1), recorded_run("b", 0, 1)};
  runs[1].begin.initial_digests.emplace_back("v_proj.weight", "only here");
  EXPECT_EQ(compare_one(observe(runs)).warnings, Texts{});
  runs[1].begin.initial_digests[0].second = "other";
  const Comparison comparison = compare_one(observe(runs));
  EXPECT_TRUE(comparison.variants[1].paired.has_value());
  EXPECT_EQ(comparison.warnings,
            Texts{"b: the initial values of 'embedding.weight' of seed 0 differ from the "
                  "baseline's: the pairs share batches alone"});
}

TEST(Comparison, HolmIsOverTheVariantsOfATable) {
  std::vector<double> base(6), up(6, 1.0), mixed = {1, 1, 1, 1, 1, -1};
  const Comparison comparison = compare_one(observations_of("a", base) + observations_of("b", up) +
                                            observations_of("c", mixed));
  // 2 / 64 and 14 / 64: two times the first; the second as it is.
  EXPECT_EQ(*comparison.variants[1].p_holm.value, 2.0 / 32);
  EXPECT_EQ(*comparison.variants[2].p_holm.value, 14.0 / 64);
  EXPECT_FALSE(comparison.variants[0].p_holm.value.has_value());
}

TEST(Comparison, EachGroupHasATableOfItsOwn) {
  std::vector<Observation> observations = two_cells();
  for (Observation& one : observations) one.group = one.cell, one.cell = "";
  const std::vector<Comparison> comparisons = compare(observations, choice("b"));
  ASSERT_EQ(comparisons.size(), 2u);
  EXPECT_EQ(comparisons[1].group, "task=sort");
  EXPECT_EQ(*comparisons[1].variants[0].paired->mean.value, -1);
}

TEST(Comparison, TheSameRunTwiceIsRefusedWithBothPlaces) {
  std::vector<Observation> observations = observations_of("a", {1, 2});
  observations[1].seed = 0;
  EXPECT_EQ(
      user_error([&] { compare(observations, choice()); }),
      "a.csv:3: seed 0 of 'a' is recorded twice, first in a.csv:2; --cell-columns can name the "
      "columns "
      "that tell its lines apart");
  std::vector<RecordedRun> runs = {recorded_run("a", 0, 1), recorded_run("a", 0, 1)};
  runs[1].begin.config = R"({"name": "sentiment", "model": {"d_model": 16}})";
  runs[1].file = "s.jsonl";
  EXPECT_EQ(user_error([&] { compare(observe(runs), choice()); }),
            "s.jsonl:1: seed 0 of 'a' is recorded twice, first in r.jsonl:1; model.d_model is 8 "
            "there, 16 here (--by or --variant-column can tell them apart by a field)");
}

TEST(Comparison, ABaselineThatIsNoVariantIsRefused) {
  EXPECT_EQ(user_error([&] { compare(observations_of("full", {1}), choice("ful")); }),
            "unknown baseline 'ful'; allowed: full; did you mean 'full'?");
}

TEST(Comparison, OneVariantOrOneSeedIsSummedUpAsFarAsItGoes) {
  const VariantComparison alone = compare_one(observations_of("a", {3})).variants[0];
  EXPECT_EQ(*alone.mean.value, 3);
  EXPECT_FALSE(alone.sd.value.has_value());
  EXPECT_FALSE(alone.paired.has_value());
  const Comparison two = compare_one(observations_of("a", {3}) + observations_of("b", {5}));
  EXPECT_EQ(*two.variants[1].paired->mean.value, 2);
  EXPECT_EQ(two.variants[1].paired->sign_flip.value->p, 1);
  EXPECT_FALSE(two.variants[1].paired->mean_ci.value.has_value());
}

}  // namespace
}  // namespace qkvlab
