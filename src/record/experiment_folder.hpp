#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "record/run_groups.hpp"

namespace qkvlab {

/// What an experiment is, in experiment.json.
struct Experiment {
  std::string config;    // resolved: one JSON object
  std::string identity;  // what decides its results, whatever variant and seed: one JSON object
  std::vector<std::pair<std::string, std::string>> environment;  // the machine that first wrote it
};

/// A variant of an experiment in a cell of its grid, and runs of it that are wanted.
struct VariantRuns {
  std::string name;
  std::string identity;  // what decides its results, whatever the seed: one JSON object
  std::vector<SeedRun> runs;
  int64_t replicas = 1;  // the most runs of a group
  Cell cell = {};        // where the grid has it
};

/// Is told what a user should know, and what stops nothing.
using Warn = std::function<void(const std::string&)>;

/// The folder of an experiment:
///   experiment.json                 what it is: the config, the machine, variants, groups of runs
///   records/<group>.jsonl           the records of a group
///   checkpoints/<group>.json        where its training stands, and which file holds its tensors
///   .lock                           held by whoever changes experiment.json
class ExperimentFolder {
 public:
  explicit ExperimentFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string experiment_file() const { return path_ + "/experiment.json"; }
  std::string lock_file() const { return path_ + "/.lock"; }
  std::string records_file(const std::string& group) const {
    return path_ + "/records/" + group + ".jsonl";
  }
  std::string checkpoint_file(const std::string& group) const {
    return path_ + "/checkpoints/" + group + ".json";
  }

  /// Creates what is missing of the folder and enters the runs that it does not list yet, in new
  /// groups. Groups that are there stay as they are, so that on one machine a group's results
  /// are the same whenever and by whomever it is trained. Returns the groups that hold the wanted
  /// runs, in the order in which they were entered. Several processes may enter runs at once, where
  /// the file system has locks; where it has none, `warn` is told.
  ///
  /// Throws UserError where the folder cannot be written to, was made by a newer version, or holds
  /// an experiment or a variant of another identity: then the first difference is named. One of
  /// which nothing was recorded, as a command leaves that was refused, counts as none.
  std::vector<RunGroup> enter(
      const Experiment& experiment, const std::vector<VariantRuns>& variants,
      const Warn& warn = [](const std::string&) {}) const;

  /// Whether anything was recorded or saved of any of these groups.
  bool holds_any(const std::vector<RunGroup>& groups) const;

 private:
  std::string path_;
};

}  // namespace qkvlab
