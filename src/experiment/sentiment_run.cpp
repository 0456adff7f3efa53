#include "experiment/sentiment_run.hpp"

#include <ATen/ATen.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <chrono>
#include <cmath>

#include "attention/multihead_layout.hpp"
#include "base/error.hpp"
#include "layers/loss.hpp"
#include "layers/named_values.hpp"

namespace qkvlab {

namespace {

SentimentTraceOptions model_options(const Sentences& sentences,
                                    const SentimentRunOptions& options) {
  SentimentTraceOptions model;
  model.plan = options.plan;
  model.vocabulary = static_cast<int64_t>(sentences.vocabulary.size());
  model.max_length = sentences.longest;
  model.classes = static_cast<int64_t>(sentences.labels.size());
  return model;
}

/// Refuses what would not fit, by a bound from above: float32, with products, scores, weights,
/// their masks and gradients, and ten activations of the model's width, all alive at once.
void refuse_beyond(const Sentences& sentences, const SentimentTraceOptions& model,
                   const Limits& limits) {
  const double batch = static_cast<double>(sentences.tokens.size());
  const double length = static_cast<double>(model.max_length);
  const double numbers = batch * length * (10 * length + 20 * static_cast<double>(model.width)) +
                         4.0 * static_cast<double>(model.vocabulary * model.width);
  const double megabytes = numbers * sizeof(float) / 1e6;
  if (megabytes <= static_cast<double>(limits.memory_mb)) return;
  throw UserError(sentences.file + ": " + std::to_string(sentences.tokens.size()) +
                  " sentences of up to " + std::to_string(model.max_length) +
                  " tokens need about " + std::to_string(static_cast<int64_t>(megabytes)) +
                  " MB, allowed are at most " + std::to_string(limits.memory_mb));
}

std::vector<NamedTensor> copy_values(const torch::nn::Module& model) {
  std::vector<NamedTensor> copies;
  for (const NamedValue& parameter : named_values(model)) {
    copies.push_back({parameter.path, parameter.value.clone()});
  }
  return copies;
}

std::vector<NamedTensor> copy_gradients(const torch::nn::Module& model) {
  std::vector<NamedTensor> copies;
  for (const NamedValue& parameter : named_values(model)) {
    copies.push_back({parameter.path, parameter.gradient.clone()});
  }
  return copies;
}

bool equal(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].value.equal(b[i].value)) return false;
  }
  return a.size() == b.size();
}

int64_t attention_parameters(const std::vector<NamedTensor>& values, const ProjectionPlan& plan) {
  int64_t total = 0;
  for (const std::string& name : plan.learned()) {
    for (const NamedTensor& parameter : values) {
      if (parameter.name == name + ".weight") total += parameter.value.numel();
    }
  }
  return total;
}

/// One full-batch step, and the evaluation after it.
SentimentEpoch run_epoch(const SentimentTrace& model, torch::optim::SGD& optimizer,
                         const Batch& batch) {
  SentimentEpoch epoch;
  optimizer.zero_grad();
  const at::Tensor loss = cross_entropy(model->forward(batch.input).logits, batch.targets);
  loss.backward();
  double square = 0;
  for (const NamedValue& parameter : named_values(*model)) {
    const float norm = parameter.gradient.norm().item<float>();
    epoch.gradient_norms.emplace_back(parameter.path, norm);
    square += static_cast<double>(norm) * norm;
  }
  epoch.loss = loss.item<float>();
  epoch.grad_norm = static_cast<float>(std::sqrt(square));
  optimizer.step();

  const torch::NoGradGuard no_grad;
  const at::Tensor logits = model->forward(batch.input).logits;
  epoch.loss_after = cross_entropy(logits, batch.targets).item<float>();
  epoch.accuracy_after = accuracy(logits, batch.targets).item<float>();
  return epoch;
}

}  // namespace

SentimentRun run_sentiment_trace(const Sentences& sentences, const SentimentRunOptions& options,
                                 const Limits& limits, const EpochListener& listener) {
  const auto start = std::chrono::steady_clock::now();
  const SentimentTraceOptions shape = model_options(sentences, options);
  refuse_beyond(sentences, shape, limits);
  const RandomSource source(options.scheme, static_cast<uint64_t>(options.seed));
  const SentimentTrace model(shape, InitialValues(source));
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(options.lr));

  SentimentRun run;
  run.initial = copy_values(*model);
  run.parameters_total = count_parameters(*model);
  run.parameters_attention = attention_parameters(run.initial, options.plan);

  const Batch one = single_batch(sentences, options.sentence);
  run.forward = model->forward(one.input);
  run.loss = cross_entropy(run.forward.logits, one.targets);
  run.loss.backward();
  run.gradients = copy_gradients(*model);
  run.backward_changed_no_weight = equal(run.initial, copy_values(*model));
  optimizer.step();
  run.after_step = copy_values(*model);

  const Batch all = whole_batch(sentences);
  while (static_cast<int64_t>(run.epochs.size()) < options.epochs && !run.diverged) {
    run.epochs.push_back(run_epoch(model, optimizer, all));
    const SentimentEpoch& epoch = run.epochs.back();
    run.diverged = !std::isfinite(epoch.loss) || !std::isfinite(epoch.loss_after);
    if (listener) listener(static_cast<int64_t>(run.epochs.size()), epoch);
  }

  const torch::NoGradGuard no_grad;
  run.trained = copy_values(*model);
  run.trained_forward = model->forward(one.input);
  if (options.plan.attends) {
    run.packed_weight = packed_in_proj_weight(*model, options.plan, shape.width);
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

}  // namespace qkvlab
