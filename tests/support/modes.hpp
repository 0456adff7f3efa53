#pragma once

#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "config/projection_plan.hpp"

namespace qkvlab {

/// Found by gtest: how a plan is named in a failure.
inline void PrintTo(const ProjectionPlan& plan, std::ostream* stream) { *stream << plan.mode; }

/// A test of every mode of the registry, so that a new mode is tested the day it is added.
class EveryMode : public testing::TestWithParam<ProjectionPlan> {
 protected:
  static const ProjectionPlan& plan() { return GetParam(); }
};

inline auto all_modes() { return testing::ValuesIn(attention_modes()); }

/// Those of all_modes() that have an attention sublayer.
inline auto attending_modes() {
  std::vector<ProjectionPlan> plans = attention_modes();
  plans.erase(std::remove_if(plans.begin(), plans.end(),
                             [](const ProjectionPlan& plan) { return !plan.attends; }),
              plans.end());
  return testing::ValuesIn(plans);
}

inline std::string mode_name(const testing::TestParamInfo<ProjectionPlan>& info) {
  return info.param.mode;
}

}  // namespace qkvlab
