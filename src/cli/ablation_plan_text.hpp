#pragma once

#include <string>

#include "config/ablation_plan.hpp"
#include "report/text_style.hpp"

namespace qkvlab {

/// What an ablation is about to run: its variants with what each costs, seeds and runs. As a table
/// for people,
std::string ablation_plan_text(const AblationPlan& plan, const TextStyle& style);
/// and as one JSON object.
std::string ablation_plan_json(const AblationPlan& plan);

/// How match_parameters changed the MLP's hidden width: "256 → 300"; empty where it did not.
std::string hidden_text(const Variant& variant);

}  // namespace qkvlab
