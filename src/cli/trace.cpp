#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/terminal_style.hpp"
#include "cli/trace_run_text.hpp"
#include "cli/trace_text.hpp"
#include "config/experiment_reader.hpp"
#include "config/input_files.hpp"
#include "experiment/sentiment_records.hpp"
#include "experiment/trace_records.hpp"
#include "record/large_tensors.hpp"

namespace qkvlab {

namespace {

void trace_classifier(const TraceCommand& command) {
  const std::string file = find_input_file(command.file);
  Sentences sentences = read_sentences(file);
  // As it was named, wherever it was found.
  sentences.file = command.file;
  const auto count = static_cast<int64_t>(sentences.tokens.size());
  if (command.sentence > count) {
    throw UserError("--sentence: must be an integer from 1 to " + std::to_string(count) +
                    " (the sentences of " + command.file + "), got " +
                    std::to_string(command.sentence));
  }
  // A place that cannot be written to is refused before the work.
  Output output(command.out, {file});

  SentimentRunOptions options;
  options.plan = attention_mode(command.mode);
  options.seed = command.seed;
  options.sentence = command.sentence - 1;
  options.epochs = command.epochs;
  Progress progress("epoch");
  const SentimentRun run =
      run_sentiment_trace(sentences, options, {}, [&](int64_t epoch, const SentimentEpoch& state) {
        progress.show(epoch, options.epochs, state.loss);
      });

  if (command.format == Format::kText) {
    output.write(trace_text(sentences, options, run, text_style(command.out)));
  } else {
    OutputSink sink(output);
    emit_records(sentences, options, run, sink);
  }
  output.finish();
  if (run.diverged) {
    throw UserError("epoch " + std::to_string(run.epochs.size()) +
                        ": the loss is no longer finite; the run has diverged",
                    ExitCode::kFailed);
  }
}

/// Tensors too large for a line go beside a file of records; what is no file has no side.
std::optional<std::string> large_tensors_beside(const std::string& out) {
  std::error_code not_there;
  const auto kind = std::filesystem::status(out, not_there).type();
  using Kind = std::filesystem::file_type;
  if (out.empty() || (kind != Kind::regular && kind != Kind::not_found)) return std::nullopt;
  return large_tensors_file(out);
}

void write_records(const ExperimentConfig& config, const TraceRun& run, const std::string& out,
                   Output& output) {
  OutputSink lines(output);
  const std::optional<std::string> file = large_tensors_beside(out);
  if (!file) return emit_trace(config, run, lines);
  LargeTensors sink(*file, lines);
  emit_trace(config, run, sink);
  sink.write();
}

void trace_config(const TraceCommand& command) {
  const std::string file = find_input_file(command.config);
  ExperimentConfig config = read_experiment_config(file, command.overrides);
  config.ablation.reset();  // no part of a single step
  std::vector<std::string> inputs = input_files(config.task);
  inputs.push_back(file);
  Output output(command.out, inputs);
  const TraceRun run = run_trace_step(config, {command.split, command.sample - 1});
  if (command.format == Format::kText) {
    output.write(trace_run_text(config, run, text_style(command.out)));
  } else {
    write_records(config, run, command.out, output);
  }
  output.finish();
  if (!run.not_finite.empty()) {
    throw UserError("the step has diverged: " + run.not_finite + " is not finite",
                    ExitCode::kFailed);
  }
}

}  // namespace

void run_trace(const TraceCommand& command) {
  if (command.config.empty()) {
    trace_classifier(command);
  } else {
    trace_config(command);
  }
}

}  // namespace qkvlab
