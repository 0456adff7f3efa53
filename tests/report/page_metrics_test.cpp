#include "report/page_metrics.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

using Texts = std::vector<std::string>;

RecordedRun run_of(const std::string& variant, int64_t seed, const std::string& file,
                   const std::map<std::string, Series>& series = {}) {
  RecordedRun run;
  run.begin.variant = variant;
  run.begin.seed = seed;
  run.file = file;
  run.series = series;
  return run;
}

TEST(PageMetrics, AreToldInWords) {
  EXPECT_EQ(metric_words("step.loss"), "Loss in training");
  EXPECT_EQ(metric_words("step.grad_norm"), "Gradient norm");
  EXPECT_EQ(metric_words("test.accuracy"), "Accuracy, test");
  EXPECT_EQ(metric_words("gradients.q_proj.weight"), "Gradient norm of q_proj.weight");
  EXPECT_EQ(metric_words("attention.entropy.1.12"), "Entropy of layer 1, head 12");
}

TEST(PageMetrics, TheComparedOneIsDrawnFirstAndEachOnce) {
  const std::set<std::string> metrics = {
      "attention.entropy", "gradients.q_proj.weight", "step.grad_norm", "step.loss",
      "step.lr",           "test.accuracy",           "test.loss"};
  EXPECT_EQ(drawn_metrics(metrics, "test.loss"),
            (Texts{"test.loss", "step.loss", "test.accuracy", "step.grad_norm"}));
  EXPECT_EQ(drawn_metrics(metrics, "gradients.q_proj.weight").front(), "gradients.q_proj.weight");
  EXPECT_EQ(drawn_metrics(metrics, "step.loss").size(), 4u);
}

TEST(PageMetrics, HeadsAreInTheOrderOfTheirNumbers) {
  Recording recording;
  const Series series{{1}, {1}};
  recording.runs = {run_of("full", 0, "r",
                           {{"attention.entropy.0.10", series},
                            {"attention.entropy.0.9", series},
                            {"attention.entropy.1.2", series},
                            {"attention.diagonal.0.0", series},
                            {"test.loss", series}})};
  EXPECT_EQ(entropy_metrics(recording),
            (Texts{"attention.entropy.0.9", "attention.entropy.0.10", "attention.entropy.1.2"}));
}

TEST(PageMetrics, ALineIsTheMeanOverRunsOfAVariant) {
  Recording recording;
  recording.runs = {run_of("full", 0, "r", {{"test.loss", {{1, 2}, {1, 3}}}}),
                    run_of("none", 0, "r", {{"test.loss", {{1}, {8}}}}),
                    run_of("full", 1, "r", {{"test.loss", {{1, 2}, {2, 5}}}})};
  const auto figures = curve_figures(recording, PageVariants(recording, {}), {"test.loss", "x"});
  ASSERT_EQ(figures.size(), 1u);
  ASSERT_EQ(figures[0].lines.size(), 2u);
  EXPECT_EQ(figures[0].lines[0].variant, "full");
  EXPECT_EQ(figures[0].lines[0].curve[0].mean, 1.5);
  EXPECT_EQ(figures[0].lines[0].curve[1].mean, 4);
  EXPECT_EQ(figures[0].lines[1].style, 1u);
}

TEST(PageVariants, StandInTheOrderOfTheComparison) {
  Recording recording;
  recording.runs = {run_of("none", 0, "r"), run_of("full", 0, "r"), run_of("extra", 0, "r")};
  Comparison comparison;
  comparison.variants.resize(2);
  comparison.variants[0].variant = "full";
  comparison.variants[1].variant = "none";
  EXPECT_EQ(PageVariants(recording, {comparison}).names(), (Texts{"full", "none", "extra"}));
}

TEST(PageVariants, OneSeedTwiceIsOfTwoExperiments) {
  Recording recording;
  recording.runs = {run_of("full", 0, "a"), run_of("full", 0, "b"), run_of("none", 0, "b")};
  EXPECT_EQ(PageVariants(recording, {}).names(), (Texts{"a: full", "b: full", "b: none"}));
  recording.runs[1].begin.seed = 1;
  EXPECT_EQ(PageVariants(recording, {}).names(), (Texts{"full", "none"}));
}

TEST(PageVariants, LongListsAreCut) {
  EXPECT_EQ(list_of_some({"a"}), "a");
  EXPECT_EQ(list_of_some({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(list_of_some({"a", "b", "c", "d"}, 2), "a, b and 2 more");
  EXPECT_EQ(list_of_some({"a", "b", "c"}, 2), "a, b and c") << "one more is named";
  EXPECT_EQ(list_of_some({}), "");
}

}  // namespace
}  // namespace qkvlab
