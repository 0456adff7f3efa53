#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/experiment_config.hpp"
#include "model/model.hpp"
#include "random/random_source.hpp"
#include "task/task.hpp"
#include "training/frozen_runs.hpp"
#include "training/group_batches.hpp"
#include "training/optimizer.hpp"
#include "training/recorder.hpp"
#include "training/run_state.hpp"

namespace qkvlab {

/// One step, for whoever watches.
struct StepReport {
  int64_t step = 0;    // from 1
  int64_t total = 0;   // steps of the whole training
  float loss = 0;      // the mean over the runs that still learn after it, or over those that were
                       // learning where it was the last step of them all
  int64_t tokens = 0;  // that the model read in this step, all runs together
  bool last = false;   // of this training: its steps are done, or every run has ended
};

/// What a group of runs learns from and is drawn from: they differ in their seeds alone.
struct GroupSources {
  GroupTasks tasks;                  // one for all, or each run's own
  std::vector<RandomSource> random;  // that each run's model was drawn from
  std::vector<RandomSource> data;    // of each run's batches
};

/// Trains a group of runs side by side as one stacked model, or one run as a single model: the loop
/// over steps. A run that has diverged or reached its target is frozen and recorded no more, and
/// does not disturb its neighbours. Records go to sinks, it opens no file, and whoever calls it
/// saves its state where they see fit.
class Trainer {
 public:
  /// Called after each step with all its records sent. False: training stops here, to be resumed.
  using AfterStep = std::function<bool(const StepReport&)>;

  /// `model` has as many replicas as there are runs, or is a single one. Refers to the tasks and
  /// the model. Throws UserError where the config does not fit the task.
  Trainer(const ExperimentConfig& config, GroupSources sources, ModelImpl& model);

  int64_t total_steps() const { return total_steps_; }
  const TrainingState& state() const { return state_; }
  Optimizer& optimizer() { return optimizer_; }
  const Optimizer& optimizer() const { return optimizer_; }

  /// Goes on from a state; parameters, optimiser and random streams are the caller's to restore,
  /// before.
  void resume(TrainingState state);

  /// Trains each run to the end of the config's steps, to its target, or until its loss, a gradient
  /// or a parameter is not finite any more; evaluates when due and at the end. `recorders` has one
  /// for each run. Returns whether every run has ended; false: training was stopped.
  bool run(const std::vector<Recorder>& recorders, const AfterStep& after_step);

 private:
  struct StepResult {
    std::vector<double> losses;  // of each run
    at::Tensor norm;             // [] or [R], of all gradients, before clipping
    int64_t tokens = 0;
    std::vector<Questions> passes;
  };

  size_t runs() const { return state_.runs.size(); }
  bool is_learning(size_t run) const { return !state_.runs[run].end; }
  bool all_have_ended() const;
  void end_run(size_t run, TrainingEnd end, const std::string& reason = "");

  StepResult forward_and_backward();
  void record_step(const std::vector<Recorder>& recorders, const StepResult& result, double lr);
  void record_attention(const std::vector<Recorder>& recorders, bool last);
  /// Ends the runs whose loss or gradients are not finite.
  void end_diverged(const StepResult& result);
  /// Evaluates the splits that are due; ends the runs whose loss is not finite.
  void evaluate_splits(const std::vector<Recorder>& recorders);
  void end_diverged_in_evaluation();
  bool target_is_reached(const RunState& run) const;
  /// Of the runs that learn; NaN where none does.
  float mean_loss(const StepResult& result) const;

  const ExperimentConfig config_;
  const GroupSources sources_;
  ModelImpl& model_;
  GroupBatches batches_;
  Optimizer optimizer_;
  const std::vector<at::Tensor> parameters_;  // those of the model, as they are stored
  FrozenRuns frozen_;
  std::vector<int64_t> ended_;  // since the last update, to be frozen before the next
  int64_t total_steps_ = 0;
  TrainingState state_;
};

}  // namespace qkvlab
