#pragma once

#include <vector>

#include "config/ablation_plan.hpp"
#include "record/experiment_folder.hpp"

namespace qkvlab {

/// Enters every run of an ablation in its folder, those that are not there yet in new groups of as
/// many as replicas_of_group says, and returns the groups that hold them. Throws UserError as
/// ExperimentFolder::enter does.
std::vector<RunGroup> enter_ablation(const AblationPlan& plan, const ExperimentFolder& folder);

}  // namespace qkvlab
