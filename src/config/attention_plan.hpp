#pragma once

#include "config/projection_plan.hpp"

namespace qkvlab {

/// The plan of three sources: the mode of that plan where there is one, else a plan whose `mode` is
/// empty.
ProjectionPlan plan_of(Source query, Source key, Source value);

/// The one among query, key and value ("q", "k" or "v") that borrows from another that borrows
/// itself, or from itself; empty where none does.
std::string chained_reference(const ProjectionPlan& plan);

}  // namespace qkvlab
