#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/experiment_config.hpp"
#include "record/experiment_folder.hpp"
#include "training/trainer.hpp"

namespace qkvlab {

/// What becomes of what the folder holds of a group.
enum class Existing {
  kGoOn,      // what was interrupted goes on where it was saved; what has ended stays as it is
  kOverwrite  // it begins anew
};

/// Told of a group while it is trained.
struct GroupListener {
  std::function<void(int64_t step)> begins;  // after so many steps that were saved, or 0
  std::function<void(const StepReport&, const TrainingState&)> step;  // after each of them
  /// Why the training should stop now, to be resumed; empty: it should not.
  std::function<std::string()> reason_to_stop;
  Warn warn;
};

/// How a group stands.
struct GroupResult {
  bool busy = false;        // another process trains it; nothing else of this is known
  bool had_ended = false;   // nothing was left to do
  bool has_ended = false;   // every run has
  std::string interrupted;  // why not
  TrainingState training;
  int64_t total_steps = 0;
  double wall_s = 0;  // spent training, all sittings together
};

/// Trains a group of runs of a config that differ in their seeds alone, into an experiment's
/// folder: records, and a checkpoint until all of them have ended (longer where
/// `run.keep_checkpoints` asks for it). The group must have been entered. It is trained as a
/// stacked model, in which no bit of a run depends on its neighbours; under `torch_stream` as a
/// single one, to the last bit as PyTorch would.
///
/// Throws UserError where the config does not fit its task or the machine, or the folder cannot be
/// used.
GroupResult train_group(const ExperimentConfig& config, const RunGroup& group,
                        const ExperimentFolder& folder, Existing existing,
                        const GroupListener& listener);

/// How the runs of a group ended, as the folder's records say, which are all the proof there is;
/// nothing where one of them has not. Throws UserError where the folder holds something damaged of
/// the group.
std::optional<GroupResult> ended_group(const ExperimentFolder& folder, const RunGroup& group);

/// Removes what the folder holds of a group. Throws UserError where somebody trains it.
void clear_group(const ExperimentFolder& folder, const RunGroup& group);

}  // namespace qkvlab
