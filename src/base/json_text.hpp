#pragma once

#include <string>

#include "base/json.hpp"

namespace qkvlab {

/// A value as JSON on one line, without blanks: members in their order, numbers in their shortest
/// form. It reads back to the same value, and a number that is no integer (3.0) does not become
/// one.
std::string json_text(const JsonValue& value);

}  // namespace qkvlab
