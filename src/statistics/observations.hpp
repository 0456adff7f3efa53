#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/recorded_runs.hpp"
#include "statistics/metric.hpp"
#include "statistics/observation.hpp"

namespace qkvlab {

/// How observations are told apart.
struct ObservationChoice {
  MetricChoice metric;  // without a name: of records the loss that `ablate` shows first (on what is
                        // held out, or else in training), of CSV the last column
  std::string variant_column = "variant";  // see field_of; of CSV the title of a column
  std::string seed_column = "seed";        // of CSV
  std::string by;  // a field for each value of which there is a table; empty: none
};

struct Observations {
  MetricChoice metric;  // with its name
  std::vector<Observation> all;
  std::vector<std::string> warnings;  // plain sentences: what was left out
};

/// The value of a metric of every run. A run of a grid is an observation of its variant in a cell
/// of the grid, and runs of several experiments are in cells named after them. Runs must outlive
/// their observations.
///
/// Throws UserError where no run has the metric or a field is none, with what is allowed.
Observations observe_runs(const Recording& recording, const ObservationChoice& choice);

/// The same of a table of comma-separated values (see read_csv), one observation a line. Cells are
/// told apart by the other columns each of whose values stands beside two variants or more, so that
/// measurements and properties of variants tell nothing apart. A value that is empty or no finite
/// number ("nan") is one of a run that diverged.
///
/// Throws UserError naming file and line, or what columns there are.
Observations observe_csv(const std::string& path, const ObservationChoice& choice);

/// The metrics that runs of a recording can be compared by, each by its shortest name.
std::vector<std::string> metric_names(const Recording& recording);

/// A field of a run as text: "experiment", "variant" (without its cell of a grid), "folder", or the
/// path of a field of its config ("model.d_model"). Nothing where the run has no such field.
std::optional<std::string> field_of(const RecordedRun& run, const std::string& name);

}  // namespace qkvlab
