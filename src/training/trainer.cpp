#include "training/trainer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "layers/loss.hpp"
#include "layers/tensor_values.hpp"
#include "training/gradients.hpp"
#include "training/schedule.hpp"
#include "training/supervised.hpp"

namespace qkvlab {

namespace {

/// Epochs as steps, or the steps as they are given.
int64_t steps_of(const TrainingConfig& config, const Task& task, const BatchOrder& order) {
  if (config.steps) return *config.steps;
  if (order.steps_per_epoch() == 0) {
    throw UserError(std::string("training.epochs: this task ") +
                    (task.sampling() == Sampling::kEndless ? "makes new examples for every batch"
                                                           : "draws its examples anywhere") +
                    " and has no epochs; give training.steps instead");
  }
  return *config.epochs * order.steps_per_epoch();
}

/// The first tensor on the way to the logits that is not finite; "loss" where all are.
std::string first_non_finite_intermediate(const ModelImpl& model, const Batch& batch) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, value] : model.intermediates(batch.input)) {
    // A masked score is −∞ on purpose.
    const at::Tensor wrong = value.isnan() | (value == INFINITY);
    if (wrong.any().item<bool>()) return name;
  }
  return "loss";
}

}  // namespace

std::string status_name(TrainingEnd end) {
  switch (end) {
    case TrainingEnd::kCompleted:
      return "completed";
    case TrainingEnd::kDiverged:
      return "diverged";
    case TrainingEnd::kInterrupted:
      break;
  }
  return "interrupted";
}

Trainer::Trainer(const ExperimentConfig& config, const Task& task, ModelImpl& model,
                 RandomSource random, RandomSource data)
    : config_(config),
      task_(task),
      model_(model),
      random_(std::move(random)),
      order_(task, std::move(data), config.training.batch_size * config.training.accumulate),
      optimizer_(config.training.optimizer, model),
      device_(model.parameters().front().device()) {
  total_steps_ = steps_of(config.training, task, order_);
  const int64_t warmup = warmup_steps(config.training.schedule, total_steps_);
  if (warmup >= total_steps_ && warmup > 0) {
    throw UserError("training.schedule: " + std::to_string(warmup) +
                    " steps of warm-up leave nothing of a training of " +
                    std::to_string(total_steps_));
  }
}

void Trainer::resume(TrainingState state) {
  state_ = std::move(state);
  order_.skip_to(state_.step);
}

TrainingEnd Trainer::run(const Recorder& recorder, const AfterStep& after_step) {
  if (state_.step == 0 && recorder.attention_is_due(0, false)) recorder.attention(0, model_, task_);
  if (total_steps_ == 0) evaluate_splits(recorder);
  const double peak = peak_lr(config_.training.optimizer);
  const int64_t evaluate_every = config_.training.evaluate.every;
  while (state_.step < total_steps_) {
    const double lr = learning_rate(config_.training.schedule, peak, state_.step, total_steps_);
    StepResult result = forward_and_backward();
    const int64_t step = ++state_.step;
    recorder.step(step, result.loss, lr, result.grad_norm);
    recorder.gradients(step, result.norms);
    if (!is_finite(result)) return TrainingEnd::kDiverged;
    if (config_.training.grad_clip) {
      clip_gradients(model_, result.norm, *config_.training.grad_clip);
    }
    optimizer_.step(lr);

    bool last = step == total_steps_;
    if (last || (evaluate_every > 0 && step % evaluate_every == 0)) {
      evaluate_splits(recorder);
      last = last || target_is_reached();
    }
    if (recorder.attention_is_due(step, last)) recorder.attention(step, model_, task_);
    const bool go_on = after_step({step, total_steps_, result.loss, result.tokens});
    if (last) break;
    if (!go_on) return TrainingEnd::kInterrupted;
  }
  return TrainingEnd::kCompleted;
}

Trainer::StepResult Trainer::forward_and_backward() {
  StepResult result;
  const std::vector<int64_t> numbers = order_.next();
  const auto count = static_cast<int64_t>(numbers.size());
  const int64_t batch_size = config_.training.batch_size;
  int64_t supervised = 0;
  for (int64_t begin = 0; begin < count; begin += batch_size) {
    const at::ArrayRef<int64_t> all = numbers;
    Batch batch = task_.batch(Split::kTrain, all.slice(begin, std::min(batch_size, count - begin)));
    state_.batch_digest = xxh3_64_hex(
        state_.batch_digest + digest({batch.input.tokens, batch.input.valid, batch.targets}));
    supervised += count_supervised(batch);
    result.tokens += batch.input.tokens.numel();
    result.batches.push_back(to_device(batch, device_));
  }

  optimizer_.zero_grad();
  DropoutStep dropout_step{{random_}, state_.step};
  double loss = 0;
  for (const Batch& batch : result.batches) {
    const Supervised said = supervised_logits(model_, batch, &dropout_step);
    at::Tensor mean = cross_entropy(said.logits, said.targets);
    if (result.batches.size() > 1) {
      // Its share of the mean over all that the step supervises, wherever that is.
      mean = mean * (static_cast<double>(said.targets.numel()) / static_cast<double>(supervised));
    }
    mean.backward();
    loss += mean.item<double>();
    ++dropout_step.micro_batch;
  }
  result.norms = gradient_norms(model_);
  result.norm = global_norm(result.norms);
  result.loss = static_cast<float>(loss);
  result.grad_norm = result.norm.item<float>();
  return result;
}

bool Trainer::is_finite(const StepResult& result) {
  if (std::isfinite(result.loss) && std::isfinite(result.grad_norm)) return true;
  std::string culprit = first_non_finite(model_);
  if (!std::isfinite(result.loss) && (culprit.empty() || culprit.rfind("gradient", 0) == 0)) {
    culprit = first_non_finite_intermediate(model_, result.batches.front());
  }
  // Each gradient may be finite, and their norm beyond float32's range.
  if (culprit.empty()) culprit = "the norm of all gradients";
  reason_ = "step " + std::to_string(state_.step) + ": " + culprit + " is not finite";
  return false;
}

void Trainer::evaluate_splits(const Recorder& recorder) {
  const EvaluateConfig& config = config_.training.evaluate;
  const bool held_out = task_.examples(Split::kHeldOut) > 0;
  std::vector<Split> splits;
  if (task_.examples(Split::kTrain) > 0 && (config.train || !held_out)) {
    splits.push_back(Split::kTrain);
  }
  if (held_out) splits.push_back(Split::kHeldOut);
  state_.evaluations.clear();
  for (const Split split : splits) {
    state_.evaluations.push_back(
        evaluate(model_, task_, split, config_.training.batch_size, config.batches));
    recorder.evaluation(state_.step, state_.evaluations.back());
  }
}

bool Trainer::target_is_reached() const {
  if (!config_.training.target) return false;
  const TargetConfig& target = *config_.training.target;
  for (const Evaluation& evaluation : state_.evaluations) {
    const std::string prefix = evaluation.split + ".";
    if (target.metric == prefix + "loss") return evaluation.loss <= target.value;
    for (const auto& [name, value] : evaluation.metrics) {
      if (target.metric == prefix + name) return value >= target.value;
    }
  }
  return false;
}

}  // namespace qkvlab
