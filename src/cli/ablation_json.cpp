#include "cli/ablation_json.hpp"

#include "cli/ablation_table.hpp"
#include "cli/json_object.hpp"

namespace qkvlab {

namespace {

std::string metrics_json(const Evaluation& evaluation) {
  JsonObject metrics;
  metrics.number("loss", evaluation.loss);
  for (const auto& [name, value] : evaluation.metrics) metrics.number(name.c_str(), value);
  return metrics.str();
}

std::string run_json(int64_t seed, const RunOutcome& outcome) {
  JsonObject run;
  run.integer("seed", seed).text("status", outcome.status).text("reason", outcome.reason);
  run.number("seconds", outcome.seconds);
  if (!outcome.evaluations.empty()) {
    run.text("split", outcome.evaluations.back().split);
    run.json("metrics", metrics_json(outcome.evaluations.back()));
  }
  return run.str();
}

std::string summary_json(const Summary& summary) {
  return JsonObject()
      .integer("n", summary.n)
      .number("mean", summary.mean)
      .number("sd", summary.sd)
      .str();
}

std::string variant_json(const AblationPlan& plan, const AblationOutcomes& outcomes, size_t index) {
  const Variant& variant = plan.variants[index];
  JsonObject metrics, differences;
  for (const MetricSummary& one : metric_summaries(plan, outcomes, index)) {
    metrics.json(one.name.c_str(), summary_json(one.values));
    if (one.differences) differences.json(one.name.c_str(), summary_json(*one.differences));
  }
  std::vector<std::string> runs;
  for (const auto& [seed, outcome] : outcomes[index]) runs.push_back(run_json(seed, outcome));
  return JsonObject()
      .text("name", variant.label)
      .text("baseline", plan.variants[variant.baseline].label)
      .integer("parameters", variant.size.parameters())
      .number("flops_per_token", variant.size.forward_flops)
      .json("metrics", metrics.str())
      .json("differences", differences.str())
      .json("runs", json_array(runs))
      .str();
}

}  // namespace

std::string ablation_json(const AblationPlan& plan, const AblationOutcomes& outcomes,
                          const std::string& folder) {
  std::vector<std::string> variants;
  for (size_t i = 0; i < plan.variants.size(); ++i) {
    variants.push_back(variant_json(plan, outcomes, i));
  }
  return JsonObject()
             .text("folder", folder)
             .text("baseline", plan.baseline)
             .json("variants", json_array(variants))
             .str() +
         "\n";
}

}  // namespace qkvlab
