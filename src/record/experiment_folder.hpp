#pragma once

#include <string>
#include <utility>
#include <vector>

namespace qkvlab {

/// One run as an experiment's folder lists it. Runs of one group are trained together and share a
/// file of records.
struct RunEntry {
  std::string run;  // its id
  std::string variant;
  int64_t seed = 0;
};

/// The folder of an experiment:
///   experiment.json                 what it is: the config, the machine, the groups of runs
///   records/<run>.jsonl             the records of a group, named after its first run
///   checkpoints/<run>.json          where its training stands, and which file holds its tensors
class ExperimentFolder {
 public:
  explicit ExperimentFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string experiment_file() const { return path_ + "/experiment.json"; }
  std::string records_file(const std::string& run) const {
    return path_ + "/records/" + run + ".jsonl";
  }
  std::string checkpoint_file(const std::string& run) const {
    return path_ + "/checkpoints/" + run + ".json";
  }

  /// Creates what is missing of the folder, and enters a group of one run in experiment.json if it
  /// is not there. `config` is the resolved config and `identity` what decides the experiment's
  /// results whatever the seed, both one JSON object; `environment` describes the machine that
  /// first wrote it.
  ///
  /// Throws UserError where the folder cannot be written to, or holds an experiment of another
  /// identity: then the first difference is named.
  void enter(const RunEntry& entry, const std::string& config, const std::string& identity,
             const std::vector<std::pair<std::string, std::string>>& environment) const;

 private:
  std::string path_;
};

}  // namespace qkvlab
