#include "experiment/train_run.hpp"

#include <ATen/Context.h>
#include <torch/cuda.h>

#include <chrono>
#include <optional>

#include "base/error.hpp"
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

std::string attention_mode_of(const ModelConfig& config) {
  return std::visit([](const auto& model) { return model.attention.plan.mode; }, config);
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
        folder_(options.folder) {
    model_->to(device_of(config.run));
    trainer_.emplace(config, *task_, *model_, random_, data_);
    checkpoint_.identity = identity_json(config, task_->file_digest());
    checkpoint_.run = run_id(config, task_->file_digest());
    enter_folder();
    open(options.existing);
  }

  TrainResult train(const StepListener& listener) {
    if (has_ended()) return result();
    const Interruption interruption;
    const RunSink sink(checkpoint_.run, *records_);
    if (checkpoint_.training.step == 0) sink.emit(first_record());
    const Recorder recorder(config_.record, sink);
    const TrainingEnd end = trainer_->run(recorder, [&](const StepReport& report) {
      listener(report);
      if (interruption.requested()) reason_ = "interrupted";
      if (is_out_of_time()) reason_ = "limits.seconds is used up";
      const bool go_on = reason_.empty();
      if (go_on && report.step < report.total && is_save_due(report.step)) save("running");
      return go_on;
    });
    finish(end, sink);
    return result();
  }

 private:
  void enter_folder() const {
    // An experiment is the same whatever the seed.
    ExperimentConfig of_all_seeds = config_;
    of_all_seeds.random.seed = 0;
    const RunEntry entry{checkpoint_.run, attention_mode_of(config_.model), config_.random.seed};
    folder_.enter(entry, config_line(config_), identity_json(of_all_seeds, task_->file_digest()),
                  environment());
  }

  void open(Existing existing) {
    const std::string records = folder_.records_file(checkpoint_.run);
    const std::string file = folder_.checkpoint_file(checkpoint_.run);
    std::optional<Checkpoint> saved;
    if (existing != Existing::kOverwrite) saved = read_checkpoint(file, checkpoint_.identity);
    if (existing == Existing::kRefuse && saved) {
      throw UserError(records + ": this run is there already (" + saved->status + " after " +
                      std::to_string(saved->training.step) +
                      " steps); --resume goes on with it, --overwrite begins anew");
    }
    if (saved) {
      checkpoint_ = *saved;
      if (has_ended()) return;
      restore_tensors(file, checkpoint_, tensors());
      trainer_->resume(checkpoint_.training);
    }
    // Of a run that was never saved, what was recorded is begun anew.
    if (!saved) RecordFile(records).flush();
    records_.emplace(records, checkpoint_.records_length);
  }

  bool has_ended() const {
    return checkpoint_.status == "completed" || checkpoint_.status == "diverged";
  }

  RunRecord first_record() const {
    RunRecord record = run_record(named_values(*model_));
    record.experiment = config_.name;
    record.variant = attention_mode_of(config_.model);
    record.seed = config_.random.seed;
    record.config = config_line(config_);
    return record;
  }

  bool is_out_of_time() const {
    return config_.limits.seconds && wall_s() >= *config_.limits.seconds;
  }

  bool is_save_due(int64_t step) const {
    const auto& every = config_.run.checkpoint_steps;
    return (every && step % *every == 0) ||
           seconds_since(last_save_) >= config_.run.checkpoint_seconds;
  }

  void save(const std::string& status) {
    records_->sync();
    checkpoint_.status = status;
    checkpoint_.training = trainer_->state();
    checkpoint_.records_length = records_->length();
    checkpoint_.wall_s = wall_s();
    start_ = last_save_ = Clock::now();
    save_checkpoint(folder_.checkpoint_file(checkpoint_.run), checkpoint_, tensors());
  }

  void finish(TrainingEnd end, const RunSink& sink) {
    // A run that will go on is cut back to before its `end` record.
    if (end == TrainingEnd::kInterrupted) save(status_name(end));
    EndRecord record;
    record.status = status_name(end);
    record.reason = end == TrainingEnd::kDiverged ? trainer_->reason() : reason_;
    record.steps = trainer_->state().step;
    record.metrics = final_metrics(trainer_->state().evaluations);
    record.batch_digest = trainer_->state().batch_digest;
    record.wall_s = wall_s();
    record.peak_rss_mb = peak_rss_mb();
    sink.emit(record);
    records_->sync();
    reason_ = record.reason;
    if (end != TrainingEnd::kInterrupted) save(status_name(end));
  }

  /// Spent training, in earlier sittings too.
  double wall_s() const { return checkpoint_.wall_s + seconds_since(start_); }

  RunTensors tensors() { return {*model_, trainer_->optimizer(), random_}; }

  TrainResult result() const {
    TrainResult result;
    result.run = checkpoint_.run;
    result.status = checkpoint_.status;
    result.reason = reason_;
    result.steps = checkpoint_.training.step;
    result.total_steps = trainer_->total_steps();
    result.evaluations = checkpoint_.training.evaluations;
    result.wall_s = checkpoint_.wall_s;
    result.had_ended = !records_;
    return result;
  }

  const ExperimentConfig config_;
  RandomSource random_, data_;
  std::unique_ptr<Task> task_;
  std::shared_ptr<ModelImpl> model_;
  ExperimentFolder folder_;
  std::optional<Trainer> trainer_;
  std::optional<RecordFile> records_;  // none where the run had ended
  Checkpoint checkpoint_;
  std::string reason_;
  Clock::time_point start_ = Clock::now();  // of what checkpoint_.wall_s does not count
  Clock::time_point last_save_ = start_;
};

}  // namespace

TrainResult train_run(const ExperimentConfig& config, const TrainOptions& options,
                      const StepListener& listener) {
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
