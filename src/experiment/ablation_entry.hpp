#pragma once

#include <vector>

#include "config/ablation_plan.hpp"
#include "record/experiment_folder.hpp"

namespace qkvlab {

/// A group that holds runs of the plan's variant number `variant`, and maybe of further seeds.
struct EnteredGroup {
  size_t variant;
  RunGroup group;
};

/// Enters every run of an ablation in its folder, those that are not there yet in new groups of as
/// many as replicas_of_group says, and returns the groups that hold them. Throws UserError as
/// ExperimentFolder::enter does.
std::vector<EnteredGroup> enter_ablation(const AblationPlan& plan, const ExperimentFolder& folder,
                                         const Warn& warn);

}  // namespace qkvlab
