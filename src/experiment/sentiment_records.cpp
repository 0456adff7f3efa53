#include "experiment/sentiment_records.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "experiment/machine.hpp"
#include "layers/tensor_values.hpp"

namespace qkvlab {

namespace {

/// What decides the results, and only that: other names for the same file are the same run. Keys
/// are sorted; a change of this form changes every run's id.
nlohmann::json identity_of(const Sentences& sentences, const SentimentRunOptions& options,
                           const SentimentTraceOptions& model) {
  nlohmann::json identity;
  identity["task"] = {{"kind", "sentences"}, {"digest", sentences.digest}};
  identity["task"]["first_step_on"] = options.sentence;
  identity["model"] = {{"kind", "sentiment_trace"}, {"d_model", model.width}};
  identity["model"]["attention"]["mode"] = model.plan.mode;
  identity["training"]["epochs"] = options.epochs;
  identity["training"]["optimizer"] = {{"kind", "sgd"}, {"lr", options.lr}};
  identity["random"] = {{"scheme", random_scheme_name(options.scheme)}, {"seed", options.seed}};
  return identity;
}

/// One line of JSON; a file name need not be UTF-8.
std::string line_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Adds the run's id to records and sends them on.
class RunSink {
 public:
  RunSink(std::string run, RecordSink& sink) : run_(std::move(run)), sink_(sink) {}

  template <typename T>
  void emit(T record) {
    record.run = run_;
    sink_.emit(Record(std::move(record)));
  }

  void tensor(const std::string& phase, const std::string& name, const at::Tensor& value) {
    if (!value.defined()) return;  // the gradient of a parameter that had no part in the loss
    TensorRecord record;
    record.phase = phase;
    record.name = name;
    record.shape = value.sizes().vec();
    record.values = float_values(value);
    emit(std::move(record));
  }

  void values(const std::string& phase, const std::vector<NamedValue>& parameters) {
    for (const NamedValue& parameter : parameters) tensor(phase, parameter.path, parameter.value);
  }

  void gradients(const std::string& phase, const std::vector<NamedValue>& parameters) {
    for (const NamedValue& parameter : parameters) {
      tensor(phase, parameter.path, parameter.gradient);
    }
  }

  /// Of a batch of one sentence; the batch dimension is left out.
  void forward(const std::string& phase, const SentimentForward& forward) {
    for (const auto& [name, value] : named_tensors(forward)) tensor(phase, name, value[0]);
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
  const std::vector<std::string> learned = options.plan.learned();
  for (const NamedValue& parameter : run.initial) {
    record.parameters_total += parameter.value.numel();
    const std::string owner = parameter.path.substr(0, parameter.path.find('.'));
    if (std::find(learned.begin(), learned.end(), owner) != learned.end()) {
      record.parameters_attention += parameter.value.numel();
    }
    record.initial_digests.emplace_back(parameter.path, digest({parameter.value}));
  }
  record.environment = environment();
  return record;
}

void emit_epoch(const SentimentRun& run, size_t index, double lr, RunSink& sink) {
  const SentimentEpoch& epoch = run.epochs[index];
  const auto number = static_cast<int64_t>(index) + 1;
  StepRecord step;
  step.step = number;
  step.loss = epoch.loss;
  step.lr = lr;
  step.grad_norm = epoch.grad_norm;
  sink.emit(step);

  GradientsRecord gradients;
  gradients.step = number;
  for (size_t i = 0; i < run.initial.size(); ++i) {
    gradients.norms.emplace_back(run.initial[i].path, epoch.gradient_norms[i]);
  }
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
  record.tokens = words_of(sentences, options.sentence);
  record.queries = weights.size(0);
  record.keys = weights.size(1);
  record.weights = float_values(weights);
  record.entropy = float_values(0 - at::xlogy(weights, weights).sum(-1));  // not -0
  record.diagonal = weights.diagonal().mean().item<float>();
  return record;
}

EndRecord end_record(const SentimentRun& run, const Batch& one, const Batch& all) {
  EndRecord record;
  record.status = run.diverged ? "diverged" : "completed";
  record.steps = static_cast<int64_t>(run.epochs.size());
  if (!run.epochs.empty()) {
    record.metrics = {{"train.loss", run.epochs.back().loss_after},
                      {"train.accuracy", run.epochs.back().accuracy_after}};
  }
  record.batch_digest = digest({one.input.tokens, one.input.valid, one.targets, all.input.tokens,
                                all.input.valid, all.targets});
  record.wall_s = run.seconds;
  record.peak_rss_mb = peak_rss_mb();
  return record;
}

}  // namespace

void emit_records(const Sentences& sentences, const SentimentRunOptions& options,
                  const SentimentRun& run, RecordSink& records) {
  nlohmann::json config = identity_of(sentences, options, run.model);
  RunSink sink(xxh3_128_hex16(line_of(config)), records);
  config["name"] = "sentiment_trace";
  config["task"]["file"] = sentences.file;
  config["task"]["labels"] = sentences.labels;
  config["task"]["tokens"] = words_of(sentences, options.sentence);
  config["task"]["label"] = sentences.labels[sentences.classes[options.sentence]];
  sink.emit(run_record(options, run, line_of(config)));
  sink.values("initial", run.initial);
  sink.forward("forward", run.forward);
  sink.gradients("gradient", run.after_backward);
  sink.values("step", run.after_step);
  for (size_t i = 0; i < run.epochs.size(); ++i) emit_epoch(run, i, options.lr, sink);
  sink.values("trained", run.trained);
  sink.forward("trained_forward", run.trained_forward);
  if (options.plan.attends) sink.emit(attention_record(sentences, options, run));
  sink.emit(end_record(run, single_batch(sentences, options.sentence), whole_batch(sentences)));
}

}  // namespace qkvlab
