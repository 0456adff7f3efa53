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

/// The first tensor on the way to the logits that is not finite; empty where all are.
std::string first_non_finite_intermediate(const ModelImpl& model, const TokenInput& input) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, value] : model.intermediates(input)) {
    // A masked score is −∞ on purpose.
    const at::Tensor wrong = value.isnan() | (value == INFINITY);
    if (wrong.any().item<bool>()) return name;
  }
  return {};
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
      parameters_(model.parameters()),
      device_(parameters_.front().device()) {
  total_steps_ = steps_of(config.training, task, order_);
  const int64_t warmup = warmup_steps(config.training.schedule, total_steps_);
  if (warmup >= total_steps_ && warmup > 0) {
    throw UserError("training.schedule: " + std::to_string(warmup) +
                    " steps of warm-up leave nothing of a training of " +
                    std::to_string(total_steps_));
  }
  const int64_t samples = config.record.attention.samples;
  const int64_t examples = task.examples(evaluated_split(task));
  if (config.record.attention.every > 0 && samples > examples && examples > 0) {
    throw UserError("record.attention.samples: must be at most " + std::to_string(examples) +
                    ", the examples of the split " + task.split_name(evaluated_split(task)) +
                    ", got " + std::to_string(samples));
  }
}

void Trainer::resume(TrainingState state) {
  state_ = std::move(state);
  order_.skip_to(state_.step);
}

TrainingEnd Trainer::run(const Recorder& recorder, const AfterStep& after_step) {
  if (state_.step == 0 && recorder.attention_is_due(0, false)) recorder.attention(0, model_, task_);
  if (total_steps_ == 0 && !evaluate_splits(recorder)) return TrainingEnd::kDiverged;
  const double peak = peak_lr(config_.training.optimizer);
  const int64_t evaluate_every = config_.training.evaluate.every;
  while (state_.step < total_steps_) {
    const double lr = learning_rate(config_.training.schedule, peak, state_.step, total_steps_);
    const StepResult result = forward_and_backward();
    const int64_t step = ++state_.step;
    recorder.step(step, result.loss, lr, result.norm.item<float>());
    if (recorder.gradients_are_due(step)) recorder.gradients(step, gradient_norms(model_));
    if (!is_finite(result)) return TrainingEnd::kDiverged;
    if (config_.training.grad_clip) {
      clip_gradients(parameters_, result.norm, *config_.training.grad_clip);
    }
    optimizer_.step(lr);

    bool last = step == total_steps_;
    if (last || (evaluate_every > 0 && step % evaluate_every == 0)) {
      if (!evaluate_splits(recorder)) return TrainingEnd::kDiverged;
      last = last || target_is_reached();
    }
    if (recorder.attention_is_due(step, last)) recorder.attention(step, model_, task_);
    const bool go_on = after_step({step, total_steps_, result.loss, result.tokens, last});
    if (last) break;
    if (!go_on) return TrainingEnd::kInterrupted;
  }
  return TrainingEnd::kCompleted;
}

std::vector<Questions> Trainer::next_batches(StepResult& result) {
  const std::vector<int64_t> numbers = order_.next();
  const auto count = static_cast<int64_t>(numbers.size());
  const int64_t batch_size = config_.training.batch_size;
  std::vector<Questions> batches;
  for (int64_t begin = 0; begin < count; begin += batch_size) {
    const at::ArrayRef<int64_t> all = numbers;
    const Batch batch =
        task_.batch(Split::kTrain, all.slice(begin, std::min(batch_size, count - begin)));
    state_.batch_digest = xxh3_64_hex(
        state_.batch_digest + digest({batch.input.tokens, batch.input.valid, batch.targets}));
    result.tokens += batch.input.tokens.numel();
    batches.push_back(questions_of(batch, device_));
  }
  return batches;
}

Trainer::StepResult Trainer::forward_and_backward() {
  StepResult result;
  result.batches = next_batches(result);
  int64_t supervised = 0;
  for (const Questions& batch : result.batches) supervised += batch.targets.numel();

  optimizer_.zero_grad();
  DropoutStep dropout_step{{random_}, state_.step};
  double loss = 0;
  for (const Questions& batch : result.batches) {
    const at::Tensor logits = answer(model_, batch, &dropout_step);  // [N, K]
    at::Tensor mean = cross_entropy(logits, batch.targets);
    if (result.batches.size() > 1) {
      // Its share of the mean over all that the step supervises, wherever that is.
      mean = mean * (static_cast<double>(batch.targets.numel()) / static_cast<double>(supervised));
    }
    mean.backward();
    loss += mean.item<double>();
    ++dropout_step.micro_batch;
  }
  result.loss = static_cast<float>(loss);
  result.norm = global_norm(parameters_, model_.replicas());
  return result;
}

bool Trainer::is_finite(const StepResult& result) {
  if (std::isfinite(result.loss) && std::isfinite(result.norm.item<float>())) return true;
  std::string culprit = first_non_finite(model_);
  if (!std::isfinite(result.loss) && (culprit.empty() || culprit.rfind("gradient", 0) == 0)) {
    culprit.clear();
    for (const Questions& batch : result.batches) {
      if (culprit.empty()) culprit = first_non_finite_intermediate(model_, batch.input);
    }
    if (culprit.empty()) culprit = "loss";
  }
  // Each gradient may be finite, and their norm beyond float32's range.
  if (culprit.empty()) culprit = "the norm of all gradients";
  reason_ = "step " + std::to_string(state_.step) + ": " + culprit + " is not finite";
  return false;
}

bool Trainer::evaluate_splits(const Recorder& recorder) {
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
    state_.evaluations.back().step = state_.step;
    recorder.evaluation(state_.evaluations.back());
  }
  for (const Evaluation& evaluation : state_.evaluations) {
    if (std::isfinite(evaluation.loss)) continue;
    // What the last update did, no later step finds.
    std::string culprit = first_non_finite(model_);
    if (culprit.empty()) culprit = evaluation.split + ".loss";
    reason_ = "after step " + std::to_string(state_.step) + ": " + culprit + " is not finite";
    return false;
  }
  return true;
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
