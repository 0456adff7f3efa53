#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "record/experiment_file.hpp"
#include "record/recorded_runs.hpp"

namespace qkvlab {

/// Runs that a page tells of together: of one folder, or of one experiment's files read alone.
struct ExperimentRuns {
  std::string place;
  std::string name;
  std::vector<const RecordedRun*> runs;
  std::vector<std::pair<std::string, std::string>> variants;  // name, config of its first run
  std::vector<int64_t> seeds;
  ExperimentFile file;  // of a folder; else without groups
};

/// Files of one experiment that were read alone are told of together, unless they hold a variant's
/// seed twice.
std::vector<ExperimentRuns> experiments_of(const Recording& recording);

/// The config that a repetition starts from: of an ablation's folder the folder's, else that of the
/// first run.
JsonValue config_of(const ExperimentRuns& experiment);

/// How to run the same again, with the promise that holds for it, or why one command cannot.
/// `link`: to the config, which is to be saved as `file`; `folder`: where the runs go.
std::string repeat_html(const ExperimentRuns& experiment, const JsonValue& config,
                        const std::string& link, const std::string& file,
                        const std::string& folder);

}  // namespace qkvlab
