#include "report/page_dots.hpp"

#include <gtest/gtest.h>

#include "support/numbers.hpp"
#include "support/occurrences.hpp"

namespace qkvlab {
namespace {

std::string dots_of(const Comparison& comparison) {
  return dots_html(comparison, PageVariants({}, {comparison}));
}

Comparison comparison_of(int64_t seeds) {
  Comparison comparison;
  comparison.metric = "test.loss";
  comparison.baseline = "full";
  VariantComparison full, other;
  full.variant = "full";
  other.variant = "<other>";
  other.paired.emplace();
  for (int64_t seed = 0; seed < seeds; ++seed) {
    full.values[{seed, ""}] = 1;
    other.values[{seed, ""}] = 1 + static_cast<double>(seed % 10) / 10;
    other.paired->differences.ranked[{seed, ""}] = static_cast<double>(seed % 10) / 10;
  }
  full.n = other.n = seeds;
  comparison.variants = {full, other};
  return comparison;
}

TEST(Swarm, DotsThatWouldCoverEachOtherStandEvenlyAroundTheMiddle) {
  EXPECT_EQ(swarm({10, 100}, 4, 20), (std::vector<double>{0, 0}));
  EXPECT_EQ(swarm({10, 10.1, 9.9}, 4, 20), (std::vector<double>{0, 4, -4}));
  EXPECT_EQ(swarm({1, 5, 4.9}, 4, 20), (std::vector<double>{-2, 0, 2})) << "a stack is a dot wide";
  EXPECT_EQ(swarm({10, 10}, 4, 20), (std::vector<double>{-2, 2}));
}

TEST(Swarm, EndsWhateverTheNumbers) {
  EXPECT_EQ(swarm({kInfinity, -kInfinity, 1}, 4, 20).size(), 3u);
  EXPECT_TRUE(swarm({}, 4, 20).empty());
}

TEST(Swarm, NoneLeavesTheRow) {
  for (const double beside : swarm(std::vector<double>(500, 3), 4, 20)) {
    EXPECT_LE(std::abs(beside), 20);
  }
}

TEST(PageDots, ASeedIsOnePathInEachFigureAndARowOfTheTable) {
  const std::string html = dots_of(comparison_of(30));
  EXPECT_EQ(occurrences(html, "<path class=\"dots\" data-unit=\"29\""), 2u);
  EXPECT_EQ(occurrences(html,
                        "<tr data-unit=\"29\"><th scope=\"row\">29</th><td>"
                        "<data value=\"1\">1</data></td><td><data value=\"1.9\">1.9</data></td>"),
            1u);
  EXPECT_EQ(occurrences(html, "<other>"), 0u);
  EXPECT_NE(html.find("27 above, 0 below, 3 equal"), std::string::npos);
}

TEST(PageDots, AnInfiniteDifferenceStandsAtTheEndAndIsTold) {
  Comparison comparison = comparison_of(4);
  comparison.variants[1].paired->differences.ranked[{0, ""}] = kInfinity;
  comparison.variants[1].values.erase({0, ""});
  const std::string html = dots_of(comparison);
  EXPECT_NE(html.find("At the end of the axis, since one of the pair has no finite value: 1 of "),
            std::string::npos);
  EXPECT_EQ(html.find("inf"), std::string::npos);
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(PageDots, OfThousandsOfSeedsTheFirstAreShownAndThePageSaysSo) {
  const std::string html = dots_of(comparison_of(10'000));
  EXPECT_EQ(occurrences(html, "<path class=\"join\""), 2000u);
  EXPECT_EQ(occurrences(html, "<tr data-unit"), 500u);
  EXPECT_NE(html.find("The first 2000 of 10000 seeds are drawn."), std::string::npos);
  EXPECT_NE(html.find("The first 500 of 10000."), std::string::npos);
  EXPECT_LT(html.size(), 700'000u);
}

TEST(PageDots, AVariantHasItsStyleByNameWhateverItsPlaceInTheComparison) {
  Recording recording;
  for (const char* name : {"full", "none", "<other>"}) {
    RecordedRun run;
    run.begin.variant = name;
    recording.runs.push_back(run);
  }
  Comparison comparison = comparison_of(3);
  const PageVariants variants(recording, {});
  const std::string html = dots_html(comparison, variants);
  EXPECT_EQ(occurrences(html, "class=\"line v2\""), 2u) << "the second row is of the third variant";
  EXPECT_EQ(occurrences(html, "class=\"line v1\""), 0u);
  comparison.variants[1].variant = "of another column";
  EXPECT_EQ(PageVariants(recording, {comparison}).place_of("of another column"), 3u);
  EXPECT_EQ(PageVariants(recording, {comparison}).names().size(), 3u);
}

TEST(PageDots, WithoutAnyFinishedRunThereIsStillAPage) {
  Comparison comparison = comparison_of(0);
  EXPECT_NE(dots_of(comparison).find("<bdi>full</bdi> none"), std::string::npos);
}

}  // namespace
}  // namespace qkvlab
