#include "experiment/trace_run.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <cmath>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "config/attention_plan.hpp"
#include "config/experiment_writer.hpp"
#include "experiment/group_model.hpp"
#include "experiment/machine.hpp"
#include "experiment/snapshot.hpp"
#include "layers/loss.hpp"
#include "training/divergence.hpp"
#include "training/gradients.hpp"
#include "training/optimizer.hpp"
#include "training/schedule.hpp"

namespace qkvlab {

namespace {

/// The split of that name. Throws UserError where the task has none such.
Split split_of(const Task& task, const std::string& name) {
  std::vector<std::string> names = {task.split_name(Split::kTrain)};
  if (task.examples(Split::kHeldOut) > 0) names.push_back(task.split_name(Split::kHeldOut));
  if (name == names.front()) return Split::kTrain;
  if (name == names.back()) return Split::kHeldOut;
  throw UserError("--split: " + unknown_name("split of this task", name, names));
}

void refuse_beyond(const TracedSample& sample, int64_t examples) {
  if (examples == 0 || sample.number < examples) return;
  throw UserError("--sample: must be " + integer_wanted(1, examples) + " (the split " +
                  sample.split + "), got " + std::to_string(sample.number + 1));
}

/// Two samples of one config are two runs, and neither is the training's.
std::string id_of(const ExperimentConfig& config, const Task& task, const TracedSample& sample) {
  return xxh3_128_hex16(R"({"sample":)" + std::to_string(sample.number) + R"(,"split":")" +
                        sample.split + R"(","trace":)" + identity_json(config, task.file_digest()) +
                        "}");
}

std::vector<int64_t> whole_numbers_of(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.reshape(-1).contiguous();
  const auto* values = plain.data_ptr<int64_t>();
  return {values, values + plain.numel()};
}

/// The example in the words of its task.
void describe(const Task& task, const Batch& batch, TraceRun& run) {
  run.token_ids = whole_numbers_of(batch.input.tokens);
  for (size_t i = 0; i < run.token_ids.size(); ++i) {
    const at::Tensor& valid = batch.input.valid;
    const bool padding = valid.defined() && !valid[0][static_cast<int64_t>(i)].item<bool>();
    run.tokens.push_back(padding ? "PAD" : task.token_text(run.token_ids[i]));
  }
  run.targets = whole_numbers_of(batch.targets);
  for (int64_t k = 0; k < task.shape().outputs; ++k) run.outputs.push_back(task.target_text(k));
}

Batch to_device(Batch batch, at::Device device) {
  batch.input.tokens = batch.input.tokens.to(device);
  if (batch.input.valid.defined()) batch.input.valid = batch.input.valid.to(device);
  batch.targets = batch.targets.to(device);
  return batch;
}

/// The loss of one example, [].
at::Tensor loss_of(const at::Tensor& logits, const Batch& batch) {
  return cross_entropy(logits, batch.targets);
}

void forward_and_backward(const ModelImpl& model, const Batch& batch, TraceRun& run) {
  const NamedTensors intermediates = model.intermediates(batch.input);
  at::Tensor logits;
  for (const auto& [name, tensor] : intermediates) {
    if (tensor.requires_grad()) tensor.retain_grad();
    if (name == "logits") logits = tensor;
  }
  const at::Tensor loss = loss_of(logits, batch);
  loss.backward();
  run.loss = loss.detach();
  for (const auto& [name, tensor] : intermediates) {
    run.forward.emplace_back(name, tensor.detach()[0]);
    const at::Tensor gradient = tensor.requires_grad() ? tensor.grad() : at::Tensor();
    // The probabilities are computed beside the loss, not on the way to it.
    if (gradient.defined()) run.forward_gradients.emplace_back(name, gradient[0]);
  }
  run.after_backward = snapshot(model, Gradients::kCopied);
}

void step(const ExperimentConfig& config, const ModelImpl& model, const Batch& batch,
          TraceRun& run) {
  Optimizer optimizer(config.training.optimizer, model);
  const std::vector<at::Tensor> parameters = model.parameters();
  const at::Tensor norm = global_norm(parameters, model.replicas());
  run.grad_norm = norm.item<float>();
  if (config.training.grad_clip) clip_gradients(parameters, norm, *config.training.grad_clip);
  run.lr = peak_lr(config.training.optimizer);
  optimizer.step(run.lr);
  run.after_step = snapshot(model);
  const torch::NoGradGuard no_grad;
  run.loss_after = loss_of(model.logits(batch.input), batch).item<float>();
  run.not_finite = first_non_finite(model, {0}).front();
  if (!run.not_finite.empty()) return;
  if (!std::isfinite(run.loss.item<float>())) {
    run.not_finite = "loss";
  } else if (!std::isfinite(run.loss_after)) {
    run.not_finite = "loss after the step";
  }
}

}  // namespace

TraceRun run_trace_step(const ExperimentConfig& config, const TracedSample& sample) {
  const auto start = Clock::now();
  use_threads(static_cast<int>(config.run.threads));
  const RandomSource random(config.random.scheme, static_cast<uint64_t>(config.random.seed));
  const RandomSource data(config.random.scheme, static_cast<uint64_t>(config.random.seed));
  const std::unique_ptr<Task> task = make_task(config.task, data, config.limits);
  const Split split = split_of(*task, sample.split);
  TraceRun run;
  run.sample = sample;
  run.examples = task->examples(split);
  refuse_beyond(sample, run.examples);
  const std::shared_ptr<ModelImpl> model = make_model(config.model, task->shape(), random);
  refuse_missing_device(config.run);
  const at::Device device(config.run.device);
  model->to(device);

  run.run = id_of(config, *task, sample);
  run.mode = attention_name(config.model);
  const Batch drawn = task->batch(split, sample.number);
  describe(*task, drawn, run);
  const Batch batch = to_device(drawn, device);
  run.initial = snapshot(*model);
  forward_and_backward(*model, batch, run);
  step(config, *model, batch, run);
  run.seconds = seconds_since(start);
  return run;
}

}  // namespace qkvlab
