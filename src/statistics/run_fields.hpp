#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/recorded_runs.hpp"

namespace qkvlab {

/// Names and values, in their order.
using Parts = std::vector<std::pair<std::string, std::string>>;

/// The values of a cell as text.
Parts parts_of(const Cell& cell);

/// A run's variant with its cell, as people read it.
std::string name_in_cell(const RecordedRun& run);

/// Whether one of `names` is that of the run's variant, or that of its variant in its cell.
bool is_named(const RecordedRun& run, const std::vector<std::string>& names);

/// A field of a run as text: "experiment", "variant" (without its cell of a grid), "folder", or the
/// path of a field of its config ("model.d_model"). Nothing where the run has no such field.
std::optional<std::string> field_of(const RecordedRun& run, const std::string& name);

/// The fields of a run that field_of knows, but for those of its config that do not decide what
/// comes out.
std::vector<std::string> field_names(const RecordedRun& run);

}  // namespace qkvlab
