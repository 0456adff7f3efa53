#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/recorded_runs.hpp"
#include "statistics/observation.hpp"

namespace qkvlab {

/// What is taken of a metric's course over a run.
enum class Taken {
  kEnd,      // its last value
  kBest,     // its best value
  kArea,     // its mean height: the area under its course (trapezoids), divided by the steps
  kStepsTo,  // the first step at which it is at least as good as a threshold
};

/// Which number of a run is compared.
struct MetricChoice {
  std::string name;  // of a series ("test.loss"), or of several: see series_of; of CSV a column
  Taken taken = Taken::kEnd;
  double threshold = 0;                  // of kStepsTo
  std::optional<bool> higher_is_better;  // nothing: as its name says
};

/// Whether a higher value is better, where the choice does not say: of losses, errors and times a
/// lower one is, of accuracies, scores and their like a higher one. Nothing where the name
/// does not tell.
std::optional<bool> higher_is_better(const MetricChoice& choice);

/// The same of the number that is taken: few steps to a threshold are better, whatever the metric.
std::optional<bool> higher_taken_is_better(const MetricChoice& choice);

/// "test.accuracy", "best test.loss", "steps to test.accuracy >= 0.95".
std::string metric_title(const MetricChoice& choice);

/// The series of a run that a metric names, each with what tells it apart from the others:
///   a series' own name          that one, alone
///   "attention.entropy", "attention.diagonal"
///                               one for each head: {layer, 0}, {head, 1}
///   "gradients.q_proj.weight"   one for each parameter whose path ends so:
///                               {parameter, blocks.0.attention.q_proj.weight}
struct PartOfRun {
  std::vector<std::pair<std::string, std::string>> parts;
  const Series* series = nullptr;
};
std::vector<PartOfRun> series_of(const RecordedRun& run, const std::string& metric);

/// Whether a series is one that series_of would find.
bool names_series(const std::string& metric, const std::string& series);

/// The shortest metric that names a series: "gradients.q_proj.weight" for the gradient of any such
/// parameter, "attention.entropy" for that of any head, else the series' own name.
std::string short_metric_name(const std::string& series);

/// What is taken of a series that is not empty (checked), and whether there is such a value: it
/// diverged where the last value is not finite (of kArea: any; of kBest: all), and is not reached
/// where no value is good enough. For kBest and kStepsTo it must be known which values are better
/// (checked). A course of one step has no area; its height is its value.
struct TakenValue {
  Outcome outcome = Outcome::kFinished;
  double value = 0;
};
TakenValue take(const Series& series, const MetricChoice& choice);

}  // namespace qkvlab
