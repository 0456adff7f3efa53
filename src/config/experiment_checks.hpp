#pragma once

#include "base/json.hpp"
#include "config/experiment_config.hpp"
#include "config/task_facts.hpp"

namespace qkvlab {

/// What no field says alone: that those of a section fit each other. `document` is what the config
/// was read from, for the place of a complaint. Throws UserError.
void check_fields(const JsonValue& document, const ExperimentConfig& config);

/// That the config fits what its task is and its own limits. Throws UserError.
void check_shape(const JsonValue& document, const ExperimentConfig& config, const TaskFacts& task);

}  // namespace qkvlab
