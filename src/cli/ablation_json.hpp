#pragma once

#include <string>

#include "experiment/ablation.hpp"

namespace qkvlab {

/// What came out of an ablation, as one JSON object: each variant's parameters and FLOPs, every run
/// with its status and final metrics, and of the completed ones what ablation_table shows.
std::string ablation_json(const AblationPlan& plan, const AblationOutcomes& outcomes,
                          const std::string& folder);

}  // namespace qkvlab
