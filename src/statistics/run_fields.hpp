#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/recorded_runs.hpp"

namespace qkvlab {

/// Names and values, in their order.
using Parts = std::vector<std::pair<std::string, std::string>>;

/// "uniform" and {{model.n_layers, 1}, {training.steps, 9}} of "uniform
/// model.n_layers=1,training.steps=9", as the plan of an ablation names a variant in a cell.
std::pair<std::string, Parts> split_variant(const std::string& name);

/// A field of a run as text: "experiment", "variant" (without its cell of a grid), "folder", or the
/// path of a field of its config ("model.d_model"). Nothing where the run has no such field.
std::optional<std::string> field_of(const RecordedRun& run, const std::string& name);

/// The fields of a run that field_of knows, but for those of its config that do not decide what
/// comes out.
std::vector<std::string> field_names(const RecordedRun& run);

}  // namespace qkvlab
