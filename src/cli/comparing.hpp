#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "statistics/comparison.hpp"
#include "statistics/observations.hpp"

namespace qkvlab {

/// What is compared, and how: options that `compare` and `report` share.
struct ComparisonOptions {
  std::vector<std::string> paths;  // folders and files of records, or one table
  ObservationChoice observation;
  std::string baseline;               // empty: what the experiment says, or full, or the first
  std::vector<std::string> variants;  // beside the baseline; empty: all
  Unit unit = Unit::kSeed;
  std::set<int64_t> seeds;     // of runs; empty: all
  int64_t bootstrap_seed = 0;  // of the bootstrap and of sign flips
};

/// Whether a path is a table of values rather than records: by its name (.csv, .tsv), or where it
/// is a stream such as /dev/stdin by its first byte.
bool is_table_of_values(const std::string& path);

/// What came of comparing.
struct ComparisonResult {
  MetricChoice metric;                  // with its name
  std::vector<Comparison> comparisons;  // at least one
  std::vector<std::string> notes;       // plain sentences: what was left out in reading
  std::vector<std::string> inputs;      // the files that were read
};

/// Takes the runs out of a recording whose seeds are not asked for. Throws UserError where none is
/// left.
void choose_seeds(const std::set<int64_t>& seeds, Recording& recording);

/// The series of records that comparing needs.
bool needs_series(const ComparisonOptions& options, const std::string& series);

/// Compares runs that were read from `options.paths`, with all series that it needs. Throws
/// UserError where there is nothing to compare.
ComparisonResult compare_recording(const Recording& recording, const ComparisonOptions& options);

/// Reads `options.paths` and compares.
ComparisonResult compare_paths(const ComparisonOptions& options);

}  // namespace qkvlab
