#include "experiment/group_run.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file_lock.hpp"
#include "config/experiment_writer.hpp"
#include "experiment/group_model.hpp"
#include "experiment/machine.hpp"
#include "experiment/run_record.hpp"
#include "record/flush_timer.hpp"
#include "record/group_records.hpp"
#include "record/record_file.hpp"
#include "training/checkpoint.hpp"

namespace qkvlab {

namespace {

/// What is to be done where a group's files do not fit each other.
std::string way_out(const ExperimentFolder& folder, const RunGroup& group) {
  return "; --overwrite begins anew, or put the file back as it was (remove " +
         folder.records_file(group.name()) + " and " + folder.checkpoint_file(group.name()) +
         " to begin this group alone anew)";
}

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

/// What differs between two environments: "libtorch 1.13.0 before, 2.6.0 now"; empty: nothing.
std::string environment_change(const NamedTexts& before, const NamedTexts& now) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& old, const std::string& young) {
    if (old == young) return;
    text += (text.empty() ? "" : "; ") + name + " " + old + " before, " + young + " now";
  };
  const std::map<std::string, std::string> old(before.begin(), before.end());
  const std::map<std::string, std::string> young(now.begin(), now.end());
  const std::string unknown = "unknown";
  for (const auto& [name, value] : now) {
    const auto found = old.find(name);
    add(name, found == old.end() ? unknown : found->second, value);
  }
  for (const auto& [name, value] : before) {
    if (young.count(name) == 0) add(name, value, unknown);
  }
  return text;
}

/// A group that is locked, from the moment that its parameters are drawn.
class GroupRun {
 public:
  GroupRun(const ExperimentConfig& config, const RunGroup& group, const ExperimentFolder& folder,
           std::unique_ptr<RecordFile> records)
      : config_(config),
        group_(group),
        folder_(folder),
        checkpoint_file_(folder.checkpoint_file(group.name())),
        records_(std::move(records)),
        checkpoint_(begun_here()),
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

  /// Forgets what was saved.
  void begin_anew() {
    // In this order: cut off in between, the former state is still whole.
    remove_checkpoint(checkpoint_file_);
    records_->cut_back(0);
  }

  /// Takes up what was saved.
  void resume(const Warn& warn) {
    const auto saved = read_checkpoint(checkpoint_file_, checkpoint_.identity);
    if (!saved) {
      begin_unsaved(warn);
      return;
    }
    check_runs(*saved, group_, checkpoint_file_);
    if (saved->training.step > trainer_.total_steps()) {
      throw UserError(checkpoint_file_ + ": is of step " + std::to_string(saved->training.step) +
                      ", this training has only " + std::to_string(trainer_.total_steps()));
    }
    const std::string mismatch = records_->mismatch(saved->records_length, saved->records_digest);
    if (!mismatch.empty()) {
      throw UserError(folder_.records_file(group_.name()) + ": " + mismatch +
                      way_out(folder_, group_));
    }
    const NamedTexts now = std::move(checkpoint_.environment);
    checkpoint_ = *saved;
    restore_checkpoint(checkpoint_file_, checkpoint_, tensors());
    trainer_.resume(checkpoint_.training);
    records_->cut_back(checkpoint_.records_length);
    remove_stray_tensors(checkpoint_file_, checkpoint_.training.step);
    saved_step_ = checkpoint_.training.step;
    checkpoint_.reason.clear();
    note_environment(now, warn);
  }

  GroupResult train(const GroupListener& listener) {
    start_ = last_save_ = Clock::now();
    const FlushTimer timer(*records_);
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
  static Checkpoint begun_here() {
    static const NamedTexts machine = environment();
    Checkpoint checkpoint;
    checkpoint.environment = machine;
    return checkpoint;
  }

  RunRecord first_record(size_t run, const std::vector<NamedValue>& initial) const {
    RunRecord record = run_record(initial);
    record.run = group_.runs[run].run;
    record.experiment = config_.name;
    record.variant = group_.variant;
    record.cell = group_.cell;
    record.seed = group_.runs[run].seed;
    record.config = config_line(config_of(config_, record.seed));
    record.replicas = static_cast<int64_t>(group_.runs.size());
    record.environment = checkpoint_.environment;
    return record;
  }

  /// Of a group without a checkpoint all begins anew. What it has recorded is made again, but must
  /// not be the remains of runs that have ended.
  void begin_unsaved(const Warn& warn) {
    const auto recorded = read_group_records(folder_.records_file(group_.name()), group_);
    if (recorded && !recorded->damage.empty()) {
      throw UserError(recorded->damage + "; its checkpoint is gone" + way_out(folder_, group_));
    }
    if (recorded && recorded->ended_runs > 0) {
      warn(folder_.records_file(group_.name()) + ": " + std::to_string(recorded->ended_runs) +
           " of its " + std::to_string(group_.runs.size()) +
           " runs had ended, the others' checkpoint is gone: all of them are trained anew");
    }
    records_->cut_back(0);
  }

  /// Records and tells of an environment that is not the one before.
  void note_environment(const NamedTexts& now, const Warn& warn) {
    const std::string change = environment_change(checkpoint_.environment, now);
    if (change.empty()) return;
    warn("goes on in another environment, where numbers may differ in their last digits: " +
         change);
    for (const SeedRun& run : group_.runs) {
      records_->emit(ResumedRecord{run.run, checkpoint_.training.step, now});
    }
    checkpoint_.environment = now;
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
    checkpoint_.records_digest = records_->digest();
    Checkpoint to_save = checkpoint_;
    to_save.wall_s = wall_s();
    save_checkpoint(checkpoint_file_, to_save, tensors(), saved_step_);
    saved_step_ = checkpoint_.training.step;
    last_save_ = Clock::now();
    return to_save.wall_s;
  }

  /// A group that will go on is cut back to before its `end` records. One that has ended is saved
  /// before them: they are the proof that nothing is left to do.
  void finish(bool ended) {
    const bool keeps = !ended || config_.run.keep_checkpoints;
    const double taken = keeps ? save(ended ? "ended" : "interrupted") : wall_s();
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
    records_->sync();
    if (!keeps) remove_checkpoint(checkpoint_file_);
    checkpoint_.wall_s = taken;
  }

  /// Spent training, in earlier sittings too.
  double wall_s() const { return checkpoint_.wall_s + seconds_since(start_); }

  RunTensors tensors() {
    return {*group_model_.model, trainer_.optimizer(), group_model_.sources.random};
  }

  const ExperimentConfig config_;
  const RunGroup group_;
  const ExperimentFolder folder_;
  const std::string checkpoint_file_;
  std::unique_ptr<RecordFile> records_;
  std::vector<RunRecord> first_records_;
  Checkpoint checkpoint_;  // as it was last saved, or taken up; of time what earlier sittings took
  GroupModel group_model_;
  Trainer trainer_;
  std::optional<int64_t> saved_step_;  // of the tensors that the folder holds
  Clock::time_point start_, last_save_;
};

/// How a run stands that has ended, as its records say.
RunState state_of(const GroupRecords::Run& recorded) {
  RunState state;
  state.end =
      recorded.end->status == "completed" ? TrainingEnd::kCompleted : TrainingEnd::kDiverged;
  state.steps = recorded.end->steps;
  state.reason = recorded.end->reason;
  state.batch_digest = recorded.end->batch_digest;
  for (const EvaluationRecord& record : recorded.evaluations) {
    Evaluation evaluation;
    evaluation.step = record.step;
    evaluation.split = record.split;
    evaluation.loss = record.loss;
    evaluation.metrics.assign(record.metrics.begin(), record.metrics.end());
    state.evaluations.push_back(std::move(evaluation));
  }
  return state;
}

}  // namespace

GroupResult train_group(const ExperimentConfig& config, const RunGroup& group,
                        const ExperimentFolder& folder, Existing existing,
                        const GroupListener& listener) {
  if (existing == Existing::kGoOn) {
    // What has ended is not even opened for writing.
    if (auto ended = ended_group(folder, group)) return std::move(*ended);
  }
  std::unique_ptr<RecordFile> records = RecordFile::open_if_free(folder.records_file(group.name()));
  if (records == nullptr) {
    GroupResult result;
    result.busy = true;
    return result;
  }
  if (!records->is_locked()) listener.warn(no_locks_warning(folder.path()));
  // From here on nobody else writes the group: what is read now stays.
  if (existing == Existing::kGoOn) {
    if (auto ended = ended_group(folder, group)) return std::move(*ended);
  }
  GroupRun run(config, group, folder, std::move(records));
  if (existing == Existing::kOverwrite) {
    run.begin_anew();
  } else {
    run.resume(listener.warn);
  }
  return run.train(listener);
}

std::optional<GroupResult> ended_group(const ExperimentFolder& folder, const RunGroup& group) {
  const auto recorded = read_group_records(folder.records_file(group.name()), group);
  if (!recorded || !recorded->has_ended()) return {};
  remove_outlived_checkpoint(folder.checkpoint_file(group.name()));
  GroupResult result;
  result.has_ended = result.had_ended = true;
  for (const GroupRecords::Run& run : recorded->runs) {
    result.training.runs.push_back(state_of(run));
    result.training.step = std::max(result.training.step, run.end->steps);
    result.wall_s = run.end->wall_s;
  }
  return result;
}

void clear_group(const ExperimentFolder& folder, const RunGroup& group) {
  const std::string path = folder.records_file(group.name());
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) {
    remove_checkpoint(folder.checkpoint_file(group.name()));
    return;
  }
  RecordFile records(path);
  remove_checkpoint(folder.checkpoint_file(group.name()));
  records.cut_back(0);
}

}  // namespace qkvlab
