#include "cli/ablation_plan_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "config/parameter_match.hpp"
#include "report/table.hpp"

namespace qkvlab {

namespace {

size_t runs_of(const AblationPlan& plan) { return plan.variants.size() * plan.seeds.size(); }

/// The MLP's hidden width of a variant whose parameters were matched.
int64_t hidden_of(const Variant& variant) {
  ModelConfig model = variant.config.model;
  return hidden_width(*mlp_of(model), width_of(model));
}

std::string variant_json(const Variant& variant) {
  std::string json = "{\"name\": ";
  append_json_string(json, variant.name);
  json += ", \"cell\": {";
  const char* separator = "";
  for (const auto& [path, value] : variant.cell) {
    json += separator;
    append_json_string(json, path);
    json += ": " + value;
    separator = ", ";
  }
  json += "}";
  json += ", \"parameters\": " + std::to_string(variant.size.parameters());
  json += ", \"flops_per_token\": {\"forward\": ";
  append_number(json, variant.size.forward_flops);
  json += ", \"training\": ";
  append_number(json, variant.size.training_flops());
  json += "}, \"hidden\": ";
  if (!variant.hidden_before) return json + "null}";
  return json + "{\"before\": " + std::to_string(*variant.hidden_before) +
         ", \"matched\": " + std::to_string(hidden_of(variant)) + "}}";
}

}  // namespace

std::string hidden_text(const Variant& variant) {
  if (!variant.hidden_before) return "";
  return std::to_string(*variant.hidden_before) + " → " + std::to_string(hidden_of(variant));
}

std::string ablation_plan_text(const AblationPlan& plan, const TextStyle& style) {
  const bool matched =
      std::any_of(plan.variants.begin(), plan.variants.end(),
                  [](const Variant& variant) { return variant.hidden_before.has_value(); });
  std::vector<Table::Column> columns = {
      {"variant", Align::kLeft}, {"parameters"}, {"FLOPs per token, training"}};
  if (matched) columns.push_back({"MLP's hidden width"});
  Table variants(columns);
  for (const Variant& variant : plan.variants) {
    std::vector<std::string> cells = {variant.label, std::to_string(variant.size.parameters()),
                                      fixed(variant.size.training_flops(), 0)};
    if (matched) {
      cells.push_back(hidden_text(variant));
    }
    variants.add_row(std::move(cells));
  }
  Table counts({{"", Align::kLeft}, {""}});
  counts.add_row({"baseline", plan.baseline});
  counts.add_row({"seeds", std::to_string(plan.seeds.size())});
  counts.add_row({"runs", std::to_string(runs_of(plan))});
  return variants.text(2, style) + "\n" + counts.text(2, style);
}

std::string ablation_plan_json(const AblationPlan& plan) {
  std::string json = "{\"baseline\": ";
  append_json_string(json, plan.baseline);
  json += ", \"seeds\": " + std::to_string(plan.seeds.size()) +
          ", \"runs\": " + std::to_string(runs_of(plan)) + ", \"variants\": [";
  const char* separator = "\n  ";
  for (const Variant& variant : plan.variants) {
    json += separator + variant_json(variant);
    separator = ",\n  ";
  }
  return json + "]}";
}

}  // namespace qkvlab
