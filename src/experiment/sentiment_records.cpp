#include "experiment/sentiment_records.hpp"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "experiment/machine.hpp"
#include "experiment/tensor_values.hpp"

namespace qkvlab {

namespace {

/// The run's resolved config, result-affecting fields only, as one line of JSON.
std::string config_of(const Sentences& sentences, const SentimentRunOptions& options) {
  nlohmann::ordered_json config;
  config["name"] = "sentiment_trace";
  config["task"] = {{"kind", "sentences"}, {"file", sentences.file}, {"digest", sentences.digest}};
  config["task"]["first_step_on"] = options.sentence;
  config["model"] = {{"kind", "sentiment_trace"}, {"d_model", SentimentTraceOptions().width}};
  config["model"]["attention"]["mode"] = options.plan.mode;
  config["training"]["epochs"] = options.epochs;
  config["training"]["optimizer"] = {{"kind", "sgd"}, {"lr", options.lr}};
  config["random"]["scheme"] = random_scheme_name(options.scheme);
  config["random"]["seed"] = options.seed;
  return config.dump();
}

/// Adds the run's id to records and sends them on.
class RunSink {
 public:
  RunSink(std::string run, RecordSink& sink) : run_(std::move(run)), sink_(sink) {}

  template <typename T>
  void emit(T record) {
    record.run = run_;
    sink_.emit(record);
  }

  void tensor(const std::string& phase, const std::string& name, const at::Tensor& value) {
    if (!value.defined()) return;  // mode `none` computes no scores
    TensorRecord record;
    record.phase = phase;
    record.name = name;
    record.shape = value.sizes().vec();
    record.values = float_values(value);
    emit(std::move(record));
  }

  void tensors(const std::string& phase, const std::vector<NamedTensor>& tensors) {
    for (const NamedTensor& named : tensors) tensor(phase, named.name, named.value);
  }

  /// Of a batch of one sentence; the batch dimension is left out.
  void forward(const std::string& phase, const SentimentForward& forward) {
    const auto one = [&](const std::string& name, const at::Tensor& value) {
      tensor(phase, name, value.defined() ? value[0] : value);
    };
    one("x", forward.x);                                    // [T, C]
    one("q", forward.projected.query);                      // [T, C]
    one("k", forward.projected.key);                        // [T, C]
    one("v", forward.projected.value);                      // [T, C]
    one("scores", forward.attention.scores);                // [T, T]
    one("attention", forward.attention.weights);            // [T, T]
    one("context", forward.attention.context);              // [T, C]
    one("logits", forward.logits);                          // [K]
    one("probabilities", at::softmax(forward.logits, -1));  // [K]
  }

 private:
  std::string run_;
  RecordSink& sink_;
};

RunRecord run_record(const SentimentRunOptions& options, const SentimentRun& run,
                     const std::string& config) {
  RunRecord record;
  record.experiment = "sentiment_trace";
  record.variant = options.plan.mode;
  record.seed = options.seed;
  record.config = config;
  record.parameters_total = run.parameters_total;
  record.parameters_attention = run.parameters_attention;
  for (const NamedTensor& parameter : run.initial) {
    record.initial_digests.emplace_back(parameter.name, digest(parameter.value));
  }
  record.environment = environment();
  return record;
}

void emit_epoch(const SentimentEpoch& epoch, int64_t number, double lr, RunSink& sink) {
  StepRecord step;
  step.step = number;
  step.loss = epoch.loss;
  step.lr = lr;
  step.grad_norm = epoch.grad_norm;
  sink.emit(step);

  GradientsRecord gradients;
  gradients.step = number;
  gradients.norms = epoch.gradient_norms;
  sink.emit(gradients);

  EvaluationRecord evaluation;
  evaluation.step = number;
  evaluation.split = "train";
  evaluation.loss = epoch.loss_after;
  evaluation.metrics = {{"accuracy", epoch.accuracy_after}};
  sink.emit(evaluation);
}

AttentionRecord attention_record(const Sentences& sentences, const SentimentRunOptions& options,
                                 const SentimentRun& run) {
  const at::Tensor weights = run.trained_forward.attention.weights[0];  // [T, T]
  AttentionRecord record;
  record.step = static_cast<int64_t>(run.epochs.size());
  record.sample = options.sentence;
  for (const int64_t token : sentences.tokens[options.sentence]) {
    record.tokens.push_back(sentences.vocabulary[token]);
  }
  record.queries = weights.size(0);
  record.keys = weights.size(1);
  record.weights = float_values(weights);
  record.entropy = float_values(-at::xlogy(weights, weights).sum(-1));
  record.diagonal = weights.diagonal().mean().item<float>();
  return record;
}

EndRecord end_record(const SentimentRun& run, const Batch& batch) {
  EndRecord record;
  record.status = run.diverged ? "diverged" : "completed";
  record.steps = static_cast<int64_t>(run.epochs.size());
  if (!run.epochs.empty()) {
    record.metrics = {{"train.loss", run.epochs.back().loss_after},
                      {"train.accuracy", run.epochs.back().accuracy_after}};
  }
  record.batch_digest = digest(batch.input.tokens);
  record.wall_s = run.seconds;
  record.peak_rss_mb = peak_rss_mb();
  return record;
}

}  // namespace

void emit_records(const Sentences& sentences, const SentimentRunOptions& options,
                  const SentimentRun& run, RecordSink& records) {
  const std::string config = config_of(sentences, options);
  RunSink sink(xxh3_128_hex16(config), records);
  sink.emit(run_record(options, run, config));
  sink.tensors("initial", run.initial);
  sink.forward("forward", run.forward);
  sink.tensors("gradient", run.gradients);
  sink.tensors("step", run.after_step);
  for (size_t i = 0; i < run.epochs.size(); ++i) {
    emit_epoch(run.epochs[i], static_cast<int64_t>(i) + 1, options.lr, sink);
  }
  sink.tensors("trained", run.trained);
  sink.forward("trained_forward", run.trained_forward);
  if (options.plan.attends) sink.emit(attention_record(sentences, options, run));
  sink.emit(end_record(run, whole_batch(sentences)));
}

}  // namespace qkvlab
