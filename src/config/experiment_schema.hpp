#pragma once

#include <string>

namespace qkvlab {

/// The JSON Schema (draft-07) of a config file, from the declarations of its fields. It says what
/// each field alone may hold; that fields fit each other, only read_experiment_config checks.
std::string experiment_schema();

}  // namespace qkvlab
