#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/experiment_config.hpp"
#include "experiment/group_run.hpp"

namespace qkvlab {

struct TrainOptions {
  std::string folder;
  Existing existing = Existing::kGoOn;
  const char* interruption_notice = "";  // what the first SIGINT or SIGTERM has written to stderr
};

/// How a run ended.
struct TrainResult {
  std::string run;     // its id
  std::string status;  // completed, diverged or interrupted
  std::string reason;  // why it diverged or was interrupted
  int signal = 0;      // that interrupted it: SIGINT or SIGTERM; 0: its limit of time
  int64_t steps = 0;
  int64_t total_steps = 0;
  std::vector<Evaluation> evaluations;  // the latest of each split
  double wall_s = 0;                    // spent training, all sittings together
  bool had_ended = false;               // nothing was left to do
};

/// Told of a run while it goes on.
struct TrainListener {
  std::function<void(int64_t step)> begins;           // after so many steps that were saved, or 0
  std::function<void(const StepReport&)> step;        // each of them
  std::function<void(const Evaluation&)> evaluation;  // each of them, after its step
  Warn warn;
};

/// Trains the one run that a config describes, a group of its own, into an experiment's folder.
/// SIGINT and SIGTERM, and the config's limit of time, end it after a step, saved. Throws UserError
/// as train_group does, and where the folder has the run in a group with others.
TrainResult train_run(const ExperimentConfig& config, const TrainOptions& options,
                      const TrainListener& listener);

}  // namespace qkvlab
