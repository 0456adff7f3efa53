#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/experiment_config.hpp"
#include "model/model.hpp"
#include "random/random_source.hpp"
#include "task/task.hpp"
#include "training/batch_order.hpp"
#include "training/evaluation.hpp"
#include "training/optimizer.hpp"
#include "training/recorder.hpp"
#include "training/supervised.hpp"

namespace qkvlab {

/// One step, for whoever watches.
struct StepReport {
  int64_t step = 0;   // from 1
  int64_t total = 0;  // steps of the whole training
  float loss = 0;
  int64_t tokens = 0;  // that the model read in this step
  bool last = false;   // of this training: its steps are done, or its target is reached
};

/// Where a training stands between two steps, beside parameters, optimiser and random stream.
struct TrainingState {
  int64_t step = 0;                     // steps taken
  std::string batch_digest;             // of all batches so far, one after the other
  std::vector<Evaluation> evaluations;  // the latest of each split
};

enum class TrainingEnd { kCompleted, kDiverged, kInterrupted };

/// "completed", "diverged" or "interrupted", as `end` records say.
std::string status_name(TrainingEnd end);

/// Trains one model: the loop over steps. Its records go to a sink, it opens no file, and whoever
/// calls it saves its state where they see fit.
class Trainer {
 public:
  /// Called after each step with all its records sent. False: training stops here, to be resumed.
  using AfterStep = std::function<bool(const StepReport&)>;

  /// `random` is the source that the model was drawn from; `data` is its task's. Refers to the task
  /// and the model. Throws UserError where the config does not fit the task.
  Trainer(const ExperimentConfig& config, const Task& task, ModelImpl& model, RandomSource random,
          RandomSource data);

  int64_t total_steps() const { return total_steps_; }
  const TrainingState& state() const { return state_; }
  Optimizer& optimizer() { return optimizer_; }
  const Optimizer& optimizer() const { return optimizer_; }

  /// Goes on from a state; parameters, optimiser and random stream are the caller's to restore.
  void resume(TrainingState state);

  /// Trains to the end of the config's steps, to its target, or until a loss, gradient or parameter
  /// is not finite any more; evaluates when due and at the end.
  TrainingEnd run(const Recorder& recorder, const AfterStep& after_step);

  /// Of a training that diverged: in which step, and the first tensor that was not finite, in the
  /// order of computation (parameters first).
  const std::string& reason() const { return reason_; }

 private:
  struct StepResult {
    float loss = 0;
    at::Tensor norm;  // of all gradients, before clipping
    int64_t tokens = 0;
    std::vector<Questions> batches;
  };

  std::vector<Questions> next_batches(StepResult& result);
  StepResult forward_and_backward();
  /// Whether all that a step computed is finite; says what is not in reason_.
  bool is_finite(const StepResult& result);
  /// Evaluates the splits that are due; false: a loss is not finite.
  bool evaluate_splits(const Recorder& recorder);
  bool target_is_reached() const;

  const ExperimentConfig config_;
  const Task& task_;
  ModelImpl& model_;
  RandomSource random_;
  BatchOrder order_;
  Optimizer optimizer_;
  const std::vector<at::Tensor> parameters_;  // those of the model, as they are stored
  at::Device device_;
  int64_t total_steps_ = 0;
  TrainingState state_;
  std::string reason_;
};

}  // namespace qkvlab
