#include "experiment/train_run.hpp"

#include <chrono>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "config/attention_plan.hpp"
#include "config/experiment_writer.hpp"
#include "experiment/group_model.hpp"
#include "experiment/interruption.hpp"
#include "experiment/machine.hpp"

namespace qkvlab {

namespace {

/// Enters the run in the experiment's folder, as a variant named after its attention.
RunGroup enter(const ExperimentConfig& config, const ExperimentFolder& folder, const Warn& warn) {
  const std::string digest = file_digest_of(config);
  const std::string identity = identity_of_all_seeds(config, digest);
  VariantRuns variant;
  variant.name = attention_name(config.model);
  variant.identity = identity;
  variant.runs = {{run_id(config, digest), config.random.seed}};
  const Experiment experiment{config_line(config), identity, environment()};
  RunGroup group = folder.enter(experiment, {variant}, warn).front();
  if (group.runs.size() > 1) {
    throw UserError(
        folder.path() + ": this run is trained there together with " +
        std::to_string(group.runs.size() - 1) +
        " others; qkvlab ablate goes on with them, or choose another folder with --out");
  }
  return group;
}

}  // namespace

TrainResult train_run(const ExperimentConfig& config, const TrainOptions& options,
                      const TrainListener& listener) {
  use_threads(static_cast<int>(config.run.threads));
  refuse_missing_device(config.run);  // refused before anything is created
  const ExperimentFolder folder(options.folder);
  const RunGroup group = enter(config, folder, listener.warn);
  const Interruption interruption(options.interruption_notice);
  Clock::time_point start;

  GroupListener group_listener;
  group_listener.warn = listener.warn;
  group_listener.begins = [&](int64_t step) {
    start = Clock::now();
    listener.begins(step);
  };
  group_listener.step = [&](const StepReport& report, const TrainingState& state) {
    listener.step(report);
    for (const Evaluation& evaluation : state.runs.front().evaluations) {
      if (evaluation.step == report.step) listener.evaluation(evaluation);
    }
  };
  group_listener.reason_to_stop = [&]() -> std::string {
    if (interruption.requested()) return "interrupted";
    // Of this sitting: a limit that counted all would let a resumed run take one step at a time.
    const std::chrono::duration<double> taken = Clock::now() - start;
    const bool late = config.limits.seconds && taken.count() >= *config.limits.seconds;
    return late ? "limits.seconds is used up" : "";
  };
  const GroupResult trained = train_group(config, group, folder, options.existing, group_listener);
  if (trained.busy) {
    throw UserError(folder.records_file(group.name()) + ": is being written by another run");
  }
  const RunState& run = trained.training.runs.front();
  TrainResult result;
  result.run = group.name();
  result.status = status_name(run.end.value_or(TrainingEnd::kInterrupted));
  result.reason = run.end ? run.reason : trained.interrupted;
  result.signal = interruption.signal();
  result.steps = trained.training.step;
  result.total_steps = trained.total_steps;
  result.evaluations = run.evaluations;
  result.wall_s = trained.wall_s;
  result.had_ended = trained.had_ended;
  return result;
}

}  // namespace qkvlab
