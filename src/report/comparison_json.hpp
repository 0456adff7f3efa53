#pragma once

#include <string>
#include <vector>

#include "statistics/comparison.hpp"

namespace qkvlab {

/// Comparisons as JSON, ended by a newline: one object; where there is a table for each value of
/// the field `by`, {"by", "tables": [one object each, with its "group"], "notes"}. Numbers are in
/// their shortest form that reads back the same; what cannot be computed is null, and a note says
/// why. `notes` are sentences that are true of all (on what could not be read).
std::string comparison_json(const std::vector<Comparison>& comparisons, const std::string& by,
                            const std::vector<std::string>& notes);

}  // namespace qkvlab
