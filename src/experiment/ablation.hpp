#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/ablation_plan.hpp"
#include "experiment/group_run.hpp"

namespace qkvlab {

/// Where one run stands, or how it ended.
struct RunOutcome {
  std::string status;  // completed, diverged, failed; waiting where it has not ended
  std::string reason;  // why it diverged or failed
  std::vector<Evaluation> evaluations;  // the last of each split
  double seconds = 0;                   // its share of the group's time
};

/// What is left to do, before anything is done.
struct AblationForecast {
  int64_t runs = 0;               // of all variants and seeds
  int64_t done = 0;               // of them
  int64_t groups = 0;             // that are left
  int64_t workers = 0;            // that will do them
  double memory = 0;              // bytes, of all workers together at most
  std::optional<double> seconds;  // of wall time; nothing where it could not be measured
};

/// Told of an ablation while it goes on; from the one process that leads it.
struct AblationListener {
  std::function<void(const AblationForecast&)> begins;
  /// Whether a run that has ended did so just now, by whomever.
  std::function<void(size_t variant, int64_t seed, const RunOutcome&, bool now)> ended;
  /// A group is tried again, and why.
  std::function<void(size_t variant, const RunGroup&, const std::string& reason)> retries;
  /// How far all is: runs done, and how many are being trained; called several times a second.
  std::function<void(double done, int64_t running, std::optional<double> seconds_left)> progress;
  /// Why all should stop now, saved; empty: it should not.
  std::function<std::string()> reason_to_stop;
  Warn warn;
};

/// Every run of an ablation, by variant and seed.
using AblationOutcomes = std::vector<std::map<int64_t, RunOutcome>>;

struct AblationResult {
  AblationOutcomes outcomes;
  std::string interrupted;  // why not all has been done: it was asked to stop,
  std::string failed;       // or the machine could not go on (a full disk)
};

/// Trains every variant with every seed, group by group, by workers side by side (as many as
/// `run.workers` says, or as keep the cores busy that this job may use), into an experiment's
/// folder; what has ended there already is left alone, unless it is to be overwritten. Several
/// processes may do so at once with the same folder: they share the groups. A group that breaks
/// twice, or of which the folder holds something damaged, costs only itself. Throws UserError where
/// the folder as a whole cannot be used, or a group that it lists needs more memory than the config
/// allows.
AblationResult run_ablation(const AblationPlan& plan, const std::string& folder, Existing existing,
                            const AblationListener& listener);

}  // namespace qkvlab
