#include "experiment/train_run.hpp"

#include <ATen/Context.h>
#include <torch/cuda.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "config/attention_plan.hpp"
#include "config/experiment_writer.hpp"
#include "experiment/interruption.hpp"
#include "experiment/machine.hpp"
#include "experiment/run_record.hpp"
#include "record/experiment_folder.hpp"
#include "record/record_file.hpp"
#include "training/checkpoint.hpp"

namespace qkvlab {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string attention_name_of(const ModelConfig& config) {
  return std::visit([](const auto& model) { return plan_name(model.attention.plan); }, config);
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

/// One run and all that belongs to it, from the moment that its parameters are drawn.
class Run {
 public:
  Run(const ExperimentConfig& config, const TrainOptions& options)
      : config_(config),
        random_(config.random.scheme, static_cast<uint64_t>(config.random.seed)),
        data_(config.random.scheme, static_cast<uint64_t>(config.random.seed)),
        task_(make_task(config.task, data_, config.limits)),
        model_(make_model(config.model, task_->shape(), random_)),
        trainer_(config, *task_, on_device(), random_, data_),
        checkpoint_(unsaved(config, *task_)),
        folder_(enter(ExperimentFolder(options.folder))),
        checkpoint_file_(folder_.checkpoint_file(checkpoint_.run)),
        notice_(options.interruption_notice) {
    take_up(options.existing);
    start_ = last_save_ = Clock::now();
  }

  TrainResult train(const TrainListener& listener) {
    if (had_ended_) return result();
    const Interruption interruption(notice_);
    listener.begins(checkpoint_.training.step);
    const RunSink sink(checkpoint_.run, *records_);
    if (checkpoint_.training.step == 0) sink.emit(first_record());
    const Recorder recorder(config_.record, sink);
    std::string interrupted_by;
    const TrainingEnd end = trainer_.run(recorder, [&](const StepReport& report) {
      listener.step(report);
      for (const Evaluation& evaluation : trainer_.state().evaluations) {
        if (evaluation.step == report.step) listener.evaluation(evaluation);
      }
      if (interruption.requested()) interrupted_by = "interrupted";
      if (is_out_of_time()) interrupted_by = "limits.seconds is used up";
      const bool go_on = interrupted_by.empty();
      // The last step is saved with the `end` record that follows it.
      if (go_on && !report.last && is_save_due(report.step)) save("running");
      return go_on;
    });
    if (end == TrainingEnd::kInterrupted) checkpoint_.reason = interrupted_by;
    if (end == TrainingEnd::kDiverged) checkpoint_.reason = trainer_.reason();
    finish(end, sink);
    return result();
  }

 private:
  /// Enters the run in the experiment's folder. To be called before anything of the run is opened.
  const ExperimentFolder& enter(const ExperimentFolder& folder) const {
    // An experiment is the same whatever the seed.
    ExperimentConfig of_all_seeds = config_;
    of_all_seeds.random.seed = 0;
    const RunEntry entry{checkpoint_.run, attention_name_of(config_.model), config_.random.seed};
    folder.enter(entry, config_line(config_), identity_json(of_all_seeds, task_->file_digest()),
                 environment());
    return folder;
  }

  /// Takes up what the folder holds of the run. What is refused, or has ended, is not touched.
  void take_up(Existing existing) {
    if (existing != Existing::kOverwrite && is_settled(existing)) return;
    records_.emplace(folder_.records_file(checkpoint_.run));
    // From here on nobody else writes the run: what is read now stays.
    if (existing == Existing::kOverwrite) remove_checkpoint(checkpoint_file_);
    const auto saved = read_checkpoint(checkpoint_file_, checkpoint_.identity);
    if (!saved) {
      records_->cut_back(0);  // of a run that was never saved, all begins anew
      return;
    }
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

  /// Whether the run has ended; throws UserError where it is there and must not be.
  bool is_settled(Existing existing) {
    const auto saved = read_checkpoint(checkpoint_file_, checkpoint_.identity);
    if (!saved) return false;
    const bool ended = saved->status == "completed" || saved->status == "diverged";
    if (existing == Existing::kRefuse) {
      throw UserError(folder_.path() + ": this run is there already (" + saved->status + " after " +
                      std::to_string(saved->training.step) + " steps); " +
                      (ended ? "" : "--resume goes on with it, ") + "--overwrite begins anew");
    }
    if (!ended) return false;
    std::error_code no_records;
    const std::string records = folder_.records_file(checkpoint_.run);
    const auto size = std::filesystem::file_size(records, no_records);
    if (no_records || size < static_cast<uintmax_t>(saved->records_length)) {
      throw UserError(records + ": lacks records of the run, which has ended (" + saved->status +
                      "); --overwrite begins anew");
    }
    checkpoint_ = *saved;
    had_ended_ = true;
    return true;
  }

  RunRecord first_record() const {
    RunRecord record = run_record(named_values(*model_));
    record.experiment = config_.name;
    record.variant = attention_name_of(config_.model);
    record.seed = config_.random.seed;
    record.config = config_line(config_);
    return record;
  }

  /// Of this sitting: a limit that counted all would let a resumed run take one step at a time.
  bool is_out_of_time() const {
    return config_.limits.seconds && seconds_since(start_) >= *config_.limits.seconds;
  }

  bool is_save_due(int64_t step) const {
    const auto& every = config_.run.checkpoint_steps;
    return (every && step % *every == 0) ||
           seconds_since(last_save_) >= config_.run.checkpoint_seconds;
  }

  void save(const std::string& status) {
    records_->sync();
    checkpoint_.status = status;
    checkpoint_.training = trainer_.state();
    checkpoint_.records_length = records_->length();
    Checkpoint to_save = checkpoint_;
    to_save.wall_s = wall_s();
    save_checkpoint(checkpoint_file_, to_save, tensors(), saved_step_);
    saved_step_ = checkpoint_.training.step;
    last_save_ = Clock::now();
  }

  void finish(TrainingEnd end, const RunSink& sink) {
    // A run that will go on is cut back to before its `end` record.
    if (end == TrainingEnd::kInterrupted) save(status_name(end));
    EndRecord record;
    record.status = status_name(end);
    record.reason = checkpoint_.reason;
    record.steps = trainer_.state().step;
    record.metrics = final_metrics(trainer_.state().evaluations);
    record.batch_digest = trainer_.state().batch_digest;
    record.wall_s = wall_s();
    record.peak_rss_mb = peak_rss_mb();
    sink.emit(record);
    records_->sync();
    if (end != TrainingEnd::kInterrupted) save(status_name(end));
    checkpoint_.wall_s = record.wall_s;
  }

  /// Spent training, in earlier sittings too.
  double wall_s() const { return checkpoint_.wall_s + seconds_since(start_); }

  RunTensors tensors() { return {*model_, trainer_.optimizer(), random_}; }

  ModelImpl& on_device() {
    model_->to(device_of(config_.run));
    return *model_;
  }

  static Checkpoint unsaved(const ExperimentConfig& config, const Task& task) {
    Checkpoint checkpoint;
    checkpoint.identity = identity_json(config, task.file_digest());
    checkpoint.run = run_id(config, task.file_digest());
    return checkpoint;
  }

  TrainResult result() const {
    TrainResult result;
    result.run = checkpoint_.run;
    result.status = checkpoint_.status;
    result.reason = checkpoint_.reason;
    result.steps = checkpoint_.training.step;
    result.total_steps = trainer_.total_steps();
    result.evaluations = checkpoint_.training.evaluations;
    result.wall_s = checkpoint_.wall_s;
    result.had_ended = had_ended_;
    return result;
  }

  const ExperimentConfig config_;
  RandomSource random_, data_;
  std::unique_ptr<Task> task_;
  std::shared_ptr<ModelImpl> model_;
  Trainer trainer_;
  Checkpoint checkpoint_;  // as it was last saved, or taken up; of time what earlier sittings took
  ExperimentFolder folder_;
  std::string checkpoint_file_;
  std::optional<RecordFile> records_;  // none of a run that had ended
  const char* notice_;
  bool had_ended_ = false;
  std::optional<int64_t> saved_step_;  // of the tensors that the folder holds
  Clock::time_point start_, last_save_;
};

}  // namespace

TrainResult train_run(const ExperimentConfig& config, const TrainOptions& options,
                      const TrainListener& listener) {
  use_threads(static_cast<int>(config.run.threads));
  return Run(config, options).train(listener);
}

at::Device device_of(const RunConfig& config) {
  const at::Device device(config.device);
  if (device.is_cuda() && device.index() >= static_cast<int64_t>(torch::cuda::device_count())) {
    throw UserError("run.device: " + config.device + " is not there; LibTorch sees " +
                    std::to_string(torch::cuda::device_count()) + " CUDA devices here");
  }
  return device;
}

}  // namespace qkvlab
