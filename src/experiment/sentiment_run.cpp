#include "experiment/sentiment_run.hpp"

#include <ATen/ATen.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "attention/multihead_layout.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/number_text.hpp"
#include "experiment/snapshot.hpp"
#include "layers/loss.hpp"

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

/// Refuses what would not fit: float32 numbers by a bound from above, with every copy alive at
/// once.
void refuse_beyond(const Sentences& sentences, const SentimentTraceOptions& model,
                   const Limits& limits) {
  const auto batch = static_cast<double>(sentences.tokens.size());
  const auto length = static_cast<double>(model.max_length);
  const auto width = static_cast<double>(model.width);
  const auto classes = static_cast<double>(model.classes);
  const auto vocabulary = static_cast<double>(model.vocabulary);
  // Products, scores, weights, masks and gradients; x, Q, K, V, context and gradients; logits,
  // log-probabilities and gradients.
  const double activations = batch * (length * (10 * length + 20 * width) + 8 * classes);
  // Initial, after the backward pass with gradients, after the step, trained, and the model's own
  // two.
  const double parameters = 8 * width * (vocabulary + length + classes + 3 * width);
  const double megabytes = (activations + parameters) * sizeof(float) / 1e6;
  if (megabytes <= static_cast<double>(limits.memory_mb)) return;
  throw UserError(sentences.file + ": " + std::to_string(sentences.tokens.size()) +
                  " sentences of up to " + std::to_string(model.max_length) + " tokens with " +
                  std::to_string(model.classes) + " labels need about " + fixed(megabytes, 0) +
                  " MB, allowed are at most " + std::to_string(limits.memory_mb));
}

/// Lets go of the graph of a forward pass.
SentimentForward detached(SentimentForward forward) {
  for (at::Tensor* tensor :
       {&forward.x, &forward.projected.query, &forward.projected.key, &forward.projected.value,
        &forward.attention.products, &forward.attention.scores, &forward.attention.weights,
        &forward.attention.context, &forward.logits}) {
    if (tensor->defined()) *tensor = tensor->detach();
  }
  return forward;
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
    epoch.gradient_norms.push_back(norm);
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

bool same_values(const std::vector<NamedValue>& a, const std::vector<NamedValue>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const NamedValue& left, const NamedValue& right) {
                      return left.path == right.path && left.value.equal(right.value);
                    });
}

SentimentRun run_sentiment_trace(const Sentences& sentences, const SentimentRunOptions& options,
                                 const Limits& limits, const EpochListener& listener) {
  const auto start = Clock::now();
  const SentimentTraceOptions shape = model_options(sentences, options);
  refuse_beyond(sentences, shape, limits);
  const RandomSource source(options.scheme, static_cast<uint64_t>(options.seed));
  const SentimentTrace model(shape, InitialValues(source));
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(options.lr));

  SentimentRun run;
  run.model = shape;
  run.initial = snapshot(*model);

  const Batch one = single_batch(sentences, options.sentence);
  const SentimentForward forward = model->forward(one.input);
  const at::Tensor loss = cross_entropy(forward.logits, one.targets);
  loss.backward();
  run.forward = detached(forward);
  run.loss = loss.detach();
  run.after_backward = snapshot(*model, Gradients::kCopied);
  optimizer.step();
  run.after_step = snapshot(*model);

  const Batch all = whole_batch(sentences);
  while (static_cast<int64_t>(run.epochs.size()) < options.epochs && !run.diverged) {
    run.epochs.push_back(run_epoch(model, optimizer, all));
    const SentimentEpoch& epoch = run.epochs.back();
    run.diverged = !std::isfinite(epoch.loss) || !std::isfinite(epoch.loss_after);
    if (listener) listener(static_cast<int64_t>(run.epochs.size()), epoch);
  }

  const torch::NoGradGuard no_grad;
  run.trained = snapshot(*model);
  run.trained_forward = model->forward(one.input);
  if (options.plan.attends) {
    run.packed_weight = packed_in_proj_weight(*model, options.plan, shape.width);
  }
  run.seconds = seconds_since(start);
  return run;
}

}  // namespace qkvlab
