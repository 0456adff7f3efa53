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
  std::string variant_column = "variant";  // see run_fields.hpp; of CSV the title of a column
  std::string seed_column = "seed";        // of CSV
  std::vector<std::string> cell_columns;   // of CSV: those that tell cells apart; empty: see below
  std::string by;  // a field for each value of which there is a table; empty: none
};

struct Observations {
  MetricChoice metric;  // with its name
  std::vector<Observation> all;
  std::vector<std::string> warnings;  // plain sentences: what was left out
};

/// The value of a metric of every run. Where several runs are of one variant and seed (of a grid,
/// of several experiments, of a run's heads), what they differ in names their cells. Runs must
/// outlive their observations.
///
/// Throws UserError where no run has the metric or a field is none, with what is allowed.
Observations observe_runs(const Recording& recording, const ObservationChoice& choice);

/// The same of a table of comma-separated values (see read_csv), one observation a line. Where
/// several lines are of one variant and seed, cells are told apart by `cell_columns`, or by those
/// other columns in which such lines differ and each of whose values several seeds or variants
/// have: a measurement differs too, but hardly in values that it has elsewhere. An empty value (or
/// NA) is one of a run that has not finished, one that is no finite number ("nan") of a run that
/// diverged.
///
/// Throws UserError naming file and line, or what columns there are.
Observations observe_csv(const std::string& path, const ObservationChoice& choice);

/// The metrics that runs of a recording can be compared by, each by its shortest name.
std::vector<std::string> metric_names(const Recording& recording);

}  // namespace qkvlab
