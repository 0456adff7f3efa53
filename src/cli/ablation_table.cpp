#include "cli/ablation_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "cli/ablation_plan_text.hpp"
#include "report/table.hpp"
#include "report/text_block.hpp"
#include "statistics/summary.hpp"

namespace qkvlab {

namespace {

constexpr int kDecimals = 4;
constexpr const char* kNothing = "–";

bool is_completed(const RunOutcome& outcome) {
  return outcome.status == "completed" && !outcome.evaluations.empty();
}

std::map<int64_t, double> values_of(const std::map<int64_t, RunOutcome>& outcomes,
                                    const std::string& metric) {
  std::map<int64_t, double> values;
  for (const auto& [seed, outcome] : outcomes) {
    if (is_completed(outcome)) values[seed] = final_metric(outcome, metric);
  }
  return values;
}

std::string spread_text(double mean, double spread, bool with_sign) {
  if (std::isnan(mean)) return kNothing;
  std::string text = fixed(mean, kDecimals);
  if (with_sign && mean > 0 && text != fixed(0, kDecimals)) text = "+" + text;
  return std::isnan(spread) ? text : text + " ± " + fixed(spread, kDecimals);
}

Summary summary_of_runs(const std::map<int64_t, double>& values) {
  std::vector<double> all;
  for (const auto& [seed, value] : values) all.push_back(value);
  return summary_of(all);
}

std::string mean_text(const Summary& values) { return spread_text(values.mean, values.sd, false); }

std::string difference_text(const MetricSummary& metric) {
  if (!metric.differences) return "";
  const Summary& summary = *metric.differences;
  const double error = summary.sd / std::sqrt(static_cast<double>(summary.n));
  const std::string text = spread_text(summary.mean, error, true);
  const bool all_have_pairs = summary.n == metric.values.n;
  return all_have_pairs ? text : text + " (" + std::to_string(summary.n) + " pairs)";
}

/// The metrics of the runs, the loss ("") first, and the split that they are of; none where no run
/// completed.
struct Metrics {
  std::vector<std::string> names;
  std::string split;
};

Metrics metrics_of(const AblationOutcomes& outcomes) {
  Metrics metrics;
  for (const auto& of_variant : outcomes) {
    for (const auto& [seed, outcome] : of_variant) {
      if (!is_completed(outcome)) continue;
      const Evaluation& last = outcome.evaluations.back();
      metrics.split = last.split;
      metrics.names.emplace_back();
      for (const auto& [name, value] : last.metrics) metrics.names.push_back(name);
      return metrics;
    }
  }
  return metrics;
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? significant(seconds * 1e3, 3) + " ms" : significant(seconds, 3) + " s";
}

/// Columns that only some ablations need.
struct Shown {
  bool not_completed = false;
  bool hidden = false;
};

std::vector<std::string> row_of(const AblationPlan& plan, size_t number,
                                const AblationOutcomes& outcomes, const Shown& shown) {
  const Variant& variant = plan.variants[number];
  std::vector<double> seconds;
  int64_t completed = 0, not_completed = 0;
  for (const auto& [seed, outcome] : outcomes[number]) {
    (is_completed(outcome) ? completed : not_completed) += 1;
    if (is_completed(outcome)) seconds.push_back(outcome.seconds);
  }
  std::vector<std::string> row = {variant.label, std::to_string(completed)};
  if (shown.not_completed) row.push_back(std::to_string(not_completed));
  const std::vector<MetricSummary> metrics = metric_summaries(plan, outcomes, number);
  for (const MetricSummary& metric : metrics) row.push_back(mean_text(metric.values));
  for (const MetricSummary& metric : metrics) row.push_back(difference_text(metric));
  row.push_back(std::to_string(variant.size.parameters()));
  if (shown.hidden) {
    row.push_back(hidden_text(variant));
  }
  row.push_back(fixed(variant.size.forward_flops, 0));
  row.push_back(seconds.empty() ? kNothing : seconds_text(summary_of(seconds).mean));
  return row;
}

}  // namespace

std::vector<MetricSummary> metric_summaries(const AblationPlan& plan,
                                            const AblationOutcomes& outcomes, size_t variant) {
  const size_t baseline = plan.variants[variant].baseline;
  std::vector<MetricSummary> summaries;
  for (const std::string& metric : metrics_of(outcomes).names) {
    const std::map<int64_t, double> values = values_of(outcomes[variant], metric);
    MetricSummary& summary = summaries.emplace_back();
    summary.name = metric.empty() ? "loss" : metric;
    summary.values = summary_of_runs(values);
    if (variant == baseline) continue;
    summary.differences =
        summary_of(paired_differences(values, values_of(outcomes[baseline], metric)));
  }
  return summaries;
}

double final_metric(const RunOutcome& outcome, const std::string& metric) {
  const Evaluation& last = outcome.evaluations.back();
  if (metric.empty()) return last.loss;
  for (const auto& [name, value] : last.metrics) {
    if (name == metric) return value;
  }
  return std::nan("");
}

std::string run_text(const AblationPlan& plan, size_t variant, int64_t seed) {
  return plan.variants[variant].label + ", seed " + std::to_string(seed);
}

std::string ablation_table(const AblationPlan& plan, const AblationOutcomes& outcomes,
                           const TextStyle& style) {
  const Metrics metrics = metrics_of(outcomes);
  Shown shown;
  for (size_t i = 0; i < plan.variants.size(); ++i) {
    shown.hidden = shown.hidden || plan.variants[i].hidden_before;
    for (const auto& [seed, outcome] : outcomes[i]) {
      shown.not_completed = shown.not_completed || !is_completed(outcome);
    }
  }
  std::vector<Table::Column> columns = {{"variant", Align::kLeft}, {"n"}};
  if (shown.not_completed) columns.push_back({"not completed"});
  for (const std::string& metric : metrics.names) {
    columns.push_back({metric.empty() ? metrics.split + " loss" : metric});
  }
  for (const std::string& metric : metrics.names) {
    columns.push_back({"Δ " + (metric.empty() ? std::string("loss") : metric)});
  }
  columns.push_back({"parameters"});
  if (shown.hidden) columns.push_back({"MLP width"});
  columns.push_back({"FLOPs/token"});
  columns.push_back({"time/run"});
  Table table(columns);
  for (size_t i = 0; i < plan.variants.size(); ++i) {
    table.add_row(row_of(plan, i, outcomes, shown));
  }
  const std::string legend =
      "mean ± sd over seeds; Δ to " + plan.baseline + ", paired by seed: mean ± standard error";
  return table.text(2, style) + paragraph("  ", in_style(legend, style), 2, style.width);
}

}  // namespace qkvlab
