#include "statistics/metric.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/numbers.hpp"

namespace qkvlab {
namespace {

const Series kCourse = {{10, 20, 40}, {0.5f, 0.25f, 0.75f}};

MetricChoice choice(const std::string& name, Taken taken, double threshold = 0) {
  MetricChoice metric;
  metric.name = name;
  metric.taken = taken;
  metric.threshold = threshold;
  return metric;
}

double value(const MetricChoice& metric, const Series& series = kCourse) {
  const TakenValue taken = take(series, metric);
  EXPECT_EQ(taken.outcome, Outcome::kFinished);
  return taken.value;
}

TEST(Metric, EndBestAndAreaByHand) {
  EXPECT_EQ(value(choice("test.loss", Taken::kEnd)), 0.75);
  EXPECT_EQ(value(choice("test.loss", Taken::kBest)), 0.25);
  EXPECT_EQ(value(choice("test.accuracy", Taken::kBest)), 0.75);
  // (10 · (0.5 + 0.25) / 2 + 20 · (0.25 + 0.75) / 2) / 30
  EXPECT_DOUBLE_EQ(value(choice("test.loss", Taken::kArea)), 13.75 / 30);
  EXPECT_EQ(value(choice("test.loss", Taken::kArea), {{10}, {0.5f}}), 0.5);
}

TEST(Metric, StepsToAThresholdAreTheFirstThatReachIt) {
  EXPECT_EQ(value(choice("test.accuracy", Taken::kStepsTo, 0.75)), 40);
  EXPECT_EQ(value(choice("test.loss", Taken::kStepsTo, 0.4)), 20);
  EXPECT_EQ(value(choice("test.loss", Taken::kStepsTo, 0.1), {{3}, {0.1f}}), 3)
      << "0.1f is more than 0.1, and is what the record shows as 0.1";
  EXPECT_EQ(take(kCourse, choice("test.loss", Taken::kStepsTo, 0.1)).outcome, Outcome::kNotReached);
}

TEST(Metric, WhatIsNotFiniteHasDiverged) {
  const Series broken = {{1, 2}, {0.5f, kNan}};
  EXPECT_EQ(take(broken, choice("test.loss", Taken::kEnd)).outcome, Outcome::kDiverged);
  EXPECT_EQ(take(broken, choice("test.loss", Taken::kArea)).outcome, Outcome::kDiverged);
  EXPECT_EQ(value(choice("test.loss", Taken::kBest), broken), 0.5);
  EXPECT_EQ(take({{1}, {kNan}}, choice("test.loss", Taken::kBest)).outcome, Outcome::kDiverged);
}

TEST(Metric, NamesSayWhichValuesAreBetter) {
  for (const char* lower : {"test.loss", "Loss", "error_rate", "val_perplexity", "seconds"}) {
    EXPECT_EQ(higher_is_better(choice(lower, Taken::kEnd)), false) << lower;
  }
  for (const char* higher : {"test.accuracy", "train.exact", "Accuracy", "macro_F1", "acc"}) {
    EXPECT_EQ(higher_is_better(choice(higher, Taken::kEnd)), true) << higher;
  }
  for (const char* neither : {"attention.entropy", "attention.diagonal", "step.grad_norm",
                              "gradients.loss_scale.weight", "step.lr", "value"}) {
    EXPECT_EQ(higher_is_better(choice(neither, Taken::kEnd)), std::nullopt) << neither;
  }
  MetricChoice metric = choice("test.loss", Taken::kEnd);
  metric.higher_is_better = true;
  EXPECT_EQ(higher_is_better(metric), true);
  EXPECT_EQ(higher_taken_is_better(choice("test.accuracy", Taken::kStepsTo)), false);
}

TEST(Metric, TitlesSayWhatIsTaken) {
  EXPECT_EQ(metric_title(choice("test.loss", Taken::kEnd)), "test.loss");
  EXPECT_EQ(metric_title(choice("test.loss", Taken::kBest)), "best test.loss");
  EXPECT_EQ(metric_title(choice("test.loss", Taken::kArea)), "mean height of test.loss");
  EXPECT_EQ(metric_title(choice("test.loss", Taken::kStepsTo, 0.1)), "steps to test.loss <= 0.1");
  EXPECT_EQ(metric_title(choice("test.accuracy", Taken::kStepsTo, 0.95)),
            "steps to test.accuracy >= 0.95");
}

TEST(Metric, TheShortestNameOfASeriesFindsIt) {
  EXPECT_EQ(short_metric_name("gradients.blocks.0.attention.q_proj.weight"),
            "gradients.q_proj.weight");
  EXPECT_EQ(short_metric_name("gradients.head.bias"), "gradients.head.bias");
  EXPECT_EQ(short_metric_name("attention.entropy.0.1"), "attention.entropy");
  EXPECT_EQ(short_metric_name("test.loss"), "test.loss");
  for (const char* series : {"gradients.blocks.0.attention.q_proj.weight", "gradients.head.bias",
                             "gradients.scale", "attention.diagonal.1.1", "step.lr"}) {
    EXPECT_TRUE(names_series(short_metric_name(series), series)) << series;
  }
}

TEST(Metric, ANameMayMeanSeveralSeries) {
  RecordedRun run;
  for (const char* name :
       {"gradients.blocks.0.attention.q_proj.weight", "gradients.blocks.1.attention.q_proj.weight",
        "gradients.embedding.weight", "attention.entropy.0.1", "attention.entropy.1.0",
        "attention.diagonal.0.1"}) {
    run.series[name] = kCourse;
  }
  const auto parts = [&](const std::string& metric) {
    std::vector<std::string> found;
    for (const PartOfRun& part : series_of(run, metric)) {
      found.emplace_back();
      for (const auto& [name, value] : part.parts) found.back() += name + "=" + value + ";";
    }
    return found;
  };
  using Parts = std::vector<std::string>;
  EXPECT_EQ(parts("gradients.q_proj.weight"),
            (Parts{"parameter=blocks.0.attention.q_proj.weight;",
                   "parameter=blocks.1.attention.q_proj.weight;"}));
  EXPECT_EQ(parts("gradients.embedding.weight"), Parts{""});
  EXPECT_EQ(parts("attention.entropy"), (Parts{"layer=0;head=1;", "layer=1;head=0;"}));
  EXPECT_EQ(parts("attention.entropy.1.0"), Parts{""});
  EXPECT_EQ(parts("gradients.proj.weight"), Parts{}) << "a name ends where a path's step does";
  EXPECT_EQ(parts("test.loss"), Parts{});
}

}  // namespace
}  // namespace qkvlab
