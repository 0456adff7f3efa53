#include "experiment/trace_records.hpp"

#include <nlohmann/json.hpp>

#include "config/experiment_writer.hpp"
#include "experiment/machine.hpp"
#include "experiment/run_record.hpp"
#include "experiment/tensor_records.hpp"
#include "layers/loss.hpp"
#include "layers/tensor_values.hpp"

namespace qkvlab {

namespace {

/// The config, with the sample beside its fields.
std::string traced_config(const ExperimentConfig& config, const TraceRun& run) {
  auto json = nlohmann::ordered_json::parse(config_line(config));
  auto& trace = json["trace"];
  trace["split"] = run.sample.split;
  trace["sample"] = run.sample.number;
  trace["tokens"] = run.tokens;
  trace["targets"] = nlohmann::json::array();
  for (const int64_t target : run.targets) {
    if (target == kUnsupervised) {
      trace["targets"].push_back(nullptr);
    } else {
      trace["targets"].push_back(run.outputs.at(target));
    }
  }
  return json.dump();
}

void emit_tensors(const RunSink& sink, const std::string& phase, const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) emit_tensor(sink, phase, name, tensor);
}

EndRecord end_record(const TraceRun& run) {
  EndRecord record;
  record.status = run.not_finite.empty() ? "completed" : "diverged";
  if (!run.not_finite.empty()) record.reason = "step 1: " + run.not_finite + " is not finite";
  record.steps = 1;
  record.batch_digest = digest({at::tensor(run.token_ids), at::tensor(run.targets)});
  record.wall_s = run.seconds;
  record.peak_rss_mb = peak_rss_mb();
  return record;
}

}  // namespace

void emit_trace(const ExperimentConfig& config, const TraceRun& run, RecordSink& records) {
  const RunSink sink(run.run, records);
  RunRecord first = run_record(run.initial);
  first.environment = environment();
  first.experiment = config.name;
  first.variant = run.mode;
  first.seed = config.random.seed;
  first.config = traced_config(config, run);
  sink.emit(std::move(first));
  emit_values(sink, "initial", run.initial);
  emit_tensors(sink, "forward", run.forward);
  emit_tensor(sink, "forward", "loss", run.loss);
  emit_gradients(sink, "gradient", run.after_backward);
  emit_tensors(sink, "gradient", run.forward_gradients);
  emit_values(sink, "step", run.after_step);
  sink.emit(end_record(run));
}

}  // namespace qkvlab
