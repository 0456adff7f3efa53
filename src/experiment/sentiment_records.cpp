#include "experiment/sentiment_records.hpp"

#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "experiment/machine.hpp"
#include "experiment/run_record.hpp"
#include "experiment/tensor_records.hpp"
#include "layers/tensor_values.hpp"
#include "record/run_sink.hpp"
#include "training/attention_record.hpp"

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

/// Of a batch of one sentence; the batch dimension is left out.
void emit_forward(const RunSink& sink, const std::string& phase, const SentimentForward& forward) {
  for (const auto& [name, value] : named_tensors(forward)) emit_tensor(sink, phase, name, value[0]);
}

void emit_epoch(const SentimentRun& run, size_t index, double lr, const RunSink& sink) {
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

AttentionRecord trained_attention(const Sentences& sentences, const SentimentRunOptions& options,
                                  const SentimentRun& run) {
  AttentionRecord record = attention_record(run.trained_forward.attention.weights[0],  // [T, T]
                                            words_of(sentences, options.sentence));
  record.step = static_cast<int64_t>(run.epochs.size());
  record.sample = options.sentence;
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
  const RunSink sink(xxh3_128_hex16(line_of(config)), records);
  config["name"] = "sentiment_trace";
  config["task"]["file"] = sentences.file;
  config["task"]["labels"] = sentences.labels;
  config["task"]["tokens"] = words_of(sentences, options.sentence);
  config["task"]["label"] = sentences.labels[sentences.classes[options.sentence]];
  RunRecord first = run_record(run.initial);
  first.environment = environment();
  first.experiment = "sentiment_trace";
  first.variant = options.plan.mode;
  first.seed = options.seed;
  first.config = line_of(config);
  sink.emit(std::move(first));
  emit_values(sink, "initial", run.initial);
  emit_forward(sink, "forward", run.forward);
  emit_gradients(sink, "gradient", run.after_backward);
  emit_values(sink, "step", run.after_step);
  for (size_t i = 0; i < run.epochs.size(); ++i) emit_epoch(run, i, options.lr, sink);
  emit_values(sink, "trained", run.trained);
  emit_forward(sink, "trained_forward", run.trained_forward);
  if (options.plan.attends) sink.emit(trained_attention(sentences, options, run));
  sink.emit(end_record(run, single_batch(sentences, options.sentence), whole_batch(sentences)));
}

}  // namespace qkvlab
