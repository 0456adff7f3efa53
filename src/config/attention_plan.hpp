#pragma once

#include <string>

#include "config/model_config.hpp"

namespace qkvlab {

/// The plan of three sources: the mode of that plan where there is one, else a plan whose `mode` is
/// empty. What nothing depends on is left out, so that plans that compute the same are the same,
/// and no projection is learned that is never read: with a zero query the key is zero too, for
/// example, unless it is what the value borrows from.
ProjectionPlan plan_of(Source query, Source key, Source value);

/// What a plan is called: its mode, or where it is none its sources, "q=own,k=q,v=zero".
std::string plan_name(const ProjectionPlan& plan);

/// The name of a model's plan.
std::string attention_name(const ModelConfig& model);

/// The one among query, key and value ("q", "k" or "v") that borrows from another that borrows
/// itself, or from itself; empty where none does.
std::string chained_reference(const ProjectionPlan& plan);

}  // namespace qkvlab
