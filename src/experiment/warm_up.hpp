#pragma once

#include <functional>
#include <vector>

#include "config/ablation_plan.hpp"
#include "record/run_groups.hpp"

namespace qkvlab {

/// A group of runs whose training is to be estimated.
struct WarmUpGroup {
  const Variant* variant;
  const RunGroup* group;
};

/// The seconds that each group is expected to take in one process. Measured on the start
/// and a few steps of the first group of every variant, in a process of its own (autograd must not
/// have run in one that forks workers). After a second it begins no further variant: what is left
/// is estimated by its FLOPs. All zeros where nothing could be measured, or `stop`, asked again and
/// again, says so.
std::vector<double> expected_seconds(const std::vector<WarmUpGroup>& groups,
                                     const std::function<bool()>& stop);

}  // namespace qkvlab
