#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiment/ablation.hpp"
#include "report/text_style.hpp"
#include "statistics/summary.hpp"

namespace qkvlab {

/// What came out of an ablation, a row for each variant: of the runs that completed their number,
/// the mean and standard deviation of their final metrics, and the difference to the baseline
/// paired by seed; parameters, FLOPs and the time of one run. What each column is stands below.
std::string ablation_table(const AblationPlan& plan, const AblationOutcomes& outcomes,
                           const TextStyle& style);

/// One metric of a variant over its completed runs, the loss as "loss"; and of its differences to
/// the baseline, paired by seed: nothing of the baseline itself.
struct MetricSummary {
  std::string name;
  Summary values;
  std::optional<Summary> differences;
};
std::vector<MetricSummary> metric_summaries(const AblationPlan& plan,
                                            const AblationOutcomes& outcomes, size_t variant);

/// The value of a metric of a run's last evaluation: the loss where `metric` is empty, else one of
/// metric_names(). Of what is held out, or where nothing is of the training split.
double final_metric(const RunOutcome& outcome, const std::string& metric);

/// "uniform, seed 7"
std::string run_text(const AblationPlan& plan, size_t variant, int64_t seed);

}  // namespace qkvlab
