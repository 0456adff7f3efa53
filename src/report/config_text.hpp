#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"

namespace qkvlab {

/// A value as JSON for people: what fits stays on a line, else a member or element a line. It reads
/// back to the same value.
std::string indented_json(const JsonValue& value);

/// Where named configs (JSON objects as text) differ.
struct ConfigDifference {
  std::string path;                 // dotted
  std::vector<std::string> values;  // as JSON, one per config; empty where there is no such field
};
std::vector<ConfigDifference> config_differences(const std::vector<std::string>& configs);

/// Whole numbers as the option --seeds takes them: "0..9,12".
std::string ranges_of(std::vector<int64_t> numbers);

}  // namespace qkvlab
