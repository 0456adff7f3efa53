#include "experiment/group_run.hpp"

#include <filesystem>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "config/experiment_writer.hpp"
#include "experiment/group_model.hpp"
#include "experiment/machine.hpp"
#include "experiment/run_record.hpp"
#include "record/record_file.hpp"
#include "training/checkpoint.hpp"

namespace qkvlab {

namespace {

constexpr const char* kEnded = "ended";

NamedFloats final_metrics(const std::vector<Evaluation>& evaluations) {
  NamedFloats metrics;
  for (const Evaluation& evaluation : evaluations) {
    metrics.emplace_back(evaluation.split + ".loss", static_cast<float>(evaluation.loss));
    for (const auto& [name, value] : evaluation.metrics) {
      metrics.emplace_back(evaluation.split + "." + name, static_cast<float>(value));
    }
  }
  return metrics;
}

ExperimentConfig config_of(const ExperimentConfig& config, int64_t seed) {
  ExperimentConfig of_run = config;
  of_run.random.seed = seed;
  return of_run;
}

void check_runs(const Checkpoint& saved, const RunGroup& group, const std::string& file) {
  std::vector<std::string> runs;
  for (const SeedRun& run : group.runs) runs.push_back(run.run);
  if (saved.runs != runs) throw UserError(file + ": holds other runs than experiment.json says");
}

/// A group that is locked, from the moment that its parameters are drawn.
class GroupRun {
 public:
  GroupRun(const ExperimentConfig& config, const RunGroup& group, const ExperimentFolder& folder,
           std::unique_ptr<RecordFile> records)
      : config_(config),
        group_(group),
        checkpoint_file_(folder.checkpoint_file(group.name())),
        records_(std::move(records)),
        group_model_(make_group_model(config, group.runs,
                                      [&](size_t run, const std::vector<NamedValue>& initial) {
                                        first_records_.push_back(first_record(run, initial));
                                      })),
        trainer_(config, group_model_.sources, *group_model_.model) {
    for (const SeedRun& run : group.runs) checkpoint_.runs.push_back(run.run);
    checkpoint_.identity =
        identity_json(config_of(config, group.runs.front().seed), group_model_.file_digest);
    checkpoint_.training = trainer_.state();
  }

  /// Takes up what was saved.
  void resume() {
    const auto saved = read_checkpoint(checkpoint_file_, checkpoint_.identity);
    if (!saved) {
      records_->cut_back(0);  // of a group that was never saved, all begins anew
      return;
    }
    check_runs(*saved, group_, checkpoint_file_);
    if (saved->training.step > trainer_.total_steps()) {
      throw UserError(checkpoint_file_ + ": is of step " + std::to_string(saved->training.step) +
                      ", this training has only " + std::to_string(trainer_.total_steps()));
    }
    checkpoint_ = *saved;
    restore_checkpoint(checkpoint_file_, checkpoint_, tensors());
    trainer_.resume(checkpoint_.training);
    records_->cut_back(checkpoint_.records_length);
    remove_stray_tensors(checkpoint_file_, checkpoint_.training.step);
    saved_step_ = checkpoint_.training.step;
    checkpoint_.reason.clear();
  }

  GroupResult train(const GroupListener& listener) {
    start_ = last_save_ = Clock::now();
    listener.begins(checkpoint_.training.step);
    if (checkpoint_.training.step == 0) {
      for (const RunRecord& record : first_records_) records_->emit(record);
    }
    first_records_.clear();
    std::vector<Recorder> recorders;
    for (const SeedRun& run : group_.runs) {
      recorders.emplace_back(config_.record, RunSink(run.run, *records_));
    }
    std::string interrupted_by;
    const bool ended = trainer_.run(recorders, [&](const StepReport& report) {
      listener.step(report, trainer_.state());
      interrupted_by = listener.reason_to_stop();
      const bool go_on = interrupted_by.empty();
      // The last step is saved with the `end` records that follow it.
      if (go_on && !report.last && is_save_due(report.step)) save("running");
      return go_on;
    });
    if (!ended) checkpoint_.reason = interrupted_by;
    finish(ended);
    GroupResult result;
    result.has_ended = ended;
    result.interrupted = checkpoint_.reason;
    result.training = trainer_.state();
    result.total_steps = trainer_.total_steps();
    result.wall_s = checkpoint_.wall_s;
    return result;
  }

 private:
  RunRecord first_record(size_t run, const std::vector<NamedValue>& initial) const {
    static const auto machine = environment();
    RunRecord record = run_record(initial);
    record.run = group_.runs[run].run;
    record.experiment = config_.name;
    record.variant = group_.variant;
    record.seed = group_.runs[run].seed;
    record.config = config_line(config_of(config_, record.seed));
    record.replicas = static_cast<int64_t>(group_.runs.size());
    record.environment = machine;
    return record;
  }

  bool is_save_due(int64_t step) const {
    const auto& every = config_.run.checkpoint_steps;
    return (every && step % *every == 0) ||
           seconds_since(last_save_) >= config_.run.checkpoint_seconds;
  }

  /// Returns the seconds that it was saved with.
  double save(const std::string& status) {
    records_->sync();
    checkpoint_.status = status;
    checkpoint_.training = trainer_.state();
    checkpoint_.records_length = records_->length();
    Checkpoint to_save = checkpoint_;
    to_save.wall_s = wall_s();
    save_checkpoint(checkpoint_file_, to_save, tensors(), saved_step_);
    saved_step_ = checkpoint_.training.step;
    last_save_ = Clock::now();
    return to_save.wall_s;
  }

  void finish(bool ended) {
    // A group that will go on is cut back to before its `end` records.
    const double taken = ended ? wall_s() : save(status_name(TrainingEnd::kInterrupted));
    for (size_t run = 0; run < group_.runs.size(); ++run) {
      const RunState& state = trainer_.state().runs[run];
      EndRecord record;
      record.run = group_.runs[run].run;
      record.status = status_name(state.end.value_or(TrainingEnd::kInterrupted));
      record.reason = state.end ? state.reason : checkpoint_.reason;
      record.steps = state.end ? state.steps : trainer_.state().step;
      record.metrics = final_metrics(state.evaluations);
      record.batch_digest = state.batch_digest;
      record.wall_s = taken;
      record.replicas = static_cast<int64_t>(group_.runs.size());
      record.peak_rss_mb = peak_rss_mb();
      records_->emit(record);
    }
    if (ended) {
      save(kEnded);
    } else {
      records_->sync();
    }
    checkpoint_.wall_s = taken;
  }

  /// Spent training, in earlier sittings too.
  double wall_s() const { return checkpoint_.wall_s + seconds_since(start_); }

  RunTensors tensors() {
    return {*group_model_.model, trainer_.optimizer(), group_model_.sources.random};
  }

  const ExperimentConfig config_;
  const RunGroup group_;
  std::string checkpoint_file_;
  std::unique_ptr<RecordFile> records_;
  std::vector<RunRecord> first_records_;
  GroupModel group_model_;
  Trainer trainer_;
  Checkpoint checkpoint_;  // as it was last saved, or taken up; of time what earlier sittings took
  std::optional<int64_t> saved_step_;  // of the tensors that the folder holds
  Clock::time_point start_, last_save_;
};

/// What a checkpoint says of a group. Throws UserError where it is of other runs, or of a group
/// that has ended while the records are not those that it ended with.
GroupResult result_of(const Checkpoint& saved, const ExperimentFolder& folder,
                      const RunGroup& group) {
  const std::string file = folder.checkpoint_file(group.name());
  check_runs(saved, group, file);
  GroupResult result;
  result.has_ended = result.had_ended = saved.status == kEnded;
  result.interrupted = saved.reason;
  result.training = saved.training;
  result.wall_s = saved.wall_s;
  const std::string records = folder.records_file(group.name());
  std::error_code no_records;
  const auto size = std::filesystem::file_size(records, no_records);
  if (result.has_ended && (no_records || size != static_cast<uintmax_t>(saved.records_length))) {
    throw UserError(records + ": lacks records of runs that have ended, or holds others; without " +
                    file + " they are trained anew");
  }
  return result;
}

/// Throws UserError where a group is there and must not be.
void refuse_existing(const ExperimentFolder& folder, const RunGroup& group) {
  const auto saved = read_checkpoint(folder.checkpoint_file(group.name()));
  if (!saved) return;
  const std::optional<TrainingEnd>& end = saved->training.runs.front().end;
  throw UserError(
      folder.path() + ": this run is there already (" + (end ? status_name(*end) : saved->status) +
      " after " + std::to_string(saved->training.step) + " steps); " +
      (saved->status == kEnded ? "" : "--resume goes on with it, ") + "--overwrite begins anew");
}

}  // namespace

GroupResult train_group(const ExperimentConfig& config, const RunGroup& group,
                        const ExperimentFolder& folder, Existing existing,
                        const GroupListener& listener) {
  if (existing == Existing::kRefuse) refuse_existing(folder, group);
  if (existing == Existing::kResume) {
    // What has ended is not touched.
    if (const auto saved = saved_group(folder, group); saved && saved->has_ended) return *saved;
  }
  std::unique_ptr<RecordFile> records = RecordFile::open_if_free(folder.records_file(group.name()));
  if (records == nullptr) {
    GroupResult result;
    result.busy = true;
    return result;
  }
  // From here on nobody else writes the group: what is read now stays.
  if (existing == Existing::kOverwrite) remove_checkpoint(folder.checkpoint_file(group.name()));
  if (const auto saved = saved_group(folder, group); saved && saved->has_ended) return *saved;
  GroupRun run(config, group, folder, std::move(records));
  run.resume();
  return run.train(listener);
}

std::optional<GroupResult> saved_group(const ExperimentFolder& folder, const RunGroup& group) {
  const auto saved = read_checkpoint(folder.checkpoint_file(group.name()));
  if (!saved) return {};
  return result_of(*saved, folder, group);
}

}  // namespace qkvlab
