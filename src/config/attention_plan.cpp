#include "config/attention_plan.hpp"

#include <algorithm>

#include "config/enum_names.hpp"

namespace qkvlab {

namespace {

/// What the plan says of the one that a reference names.
Source lender_of(const ProjectionPlan& plan, Source reference) {
  if (reference == Source::kQuery) return plan.query;
  return reference == Source::kKey ? plan.key : plan.value;
}

/// The plan that says the same without what nothing depends on: a reference to what is not learned
/// is that itself, and where query or key is zero all scores are, whatever the other one is, which
/// then is zero as well unless the value is borrowed from it.
ProjectionPlan reduced(const ProjectionPlan& given) {
  ProjectionPlan plan = given;
  for (Source* one : {&plan.query, &plan.key, &plan.value}) {
    if (is_reference(*one) && lender_of(given, *one) != Source::kOwn) *one = lender_of(given, *one);
  }
  if (plan.query == Source::kZero && plan.value != Source::kKey) plan.key = Source::kZero;
  if (plan.key == Source::kZero && plan.value != Source::kQuery) plan.query = Source::kZero;
  return plan;
}

}  // namespace

ProjectionPlan plan_of(Source query, Source key, Source value) {
  if (chained_reference({"", true, query, key, value}).empty()) {
    const ProjectionPlan plan = reduced({"", true, query, key, value});
    query = plan.query;
    key = plan.key;
    value = plan.value;
  }
  const auto& modes = attention_modes();
  const auto named = std::find_if(modes.begin(), modes.end(), [&](const ProjectionPlan& mode) {
    return mode.attends && mode.query == query && mode.key == key && mode.value == value;
  });
  return named != modes.end() ? *named : ProjectionPlan{"", true, query, key, value};
}

std::string plan_name(const ProjectionPlan& plan) {
  if (!plan.mode.empty()) return plan.mode;
  return "q=" + enum_name(plan.query) + ",k=" + enum_name(plan.key) + ",v=" + enum_name(plan.value);
}

std::string attention_name(const ModelConfig& model) {
  return std::visit([](const auto& typed) { return plan_name(typed.attention.plan); }, model);
}

std::string chained_reference(const ProjectionPlan& plan) {
  for (const Source one : {Source::kQuery, Source::kKey, Source::kValue}) {
    const Source source = lender_of(plan, one);
    if (is_reference(source) && is_reference(lender_of(plan, source))) return enum_name(one);
  }
  return {};
}

}  // namespace qkvlab
