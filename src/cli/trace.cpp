#include <spdlog/spdlog.h>

#include <chrono>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/trace_text.hpp"
#include "experiment/sentiment_records.hpp"

namespace qkvlab {

namespace {

/// A line on stderr every few seconds of a long run.
class Progress {
 public:
  explicit Progress(int64_t epochs) : epochs_(epochs) {}

  void show(int64_t epoch, float loss) {
    constexpr std::chrono::seconds kEvery(5);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kEvery) return;
    last_ = now;
    const std::chrono::duration<double> taken = now - start_;
    const double left =
        taken.count() / static_cast<double>(epoch) * static_cast<double>(epochs_ - epoch);
    spdlog::info("epoch {} of {}, loss {}, {} s left", epoch, epochs_, fixed(loss, 4),
                 fixed(left, 0));
  }

 private:
  int64_t epochs_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = start_;
};

}  // namespace

void run_trace(const TraceCommand& command) {
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
  Output output(command.out, file);

  SentimentRunOptions options;
  options.plan = attention_mode(command.mode);
  options.seed = command.seed;
  options.sentence = command.sentence - 1;
  options.epochs = command.epochs;
  Progress progress(options.epochs);
  const SentimentRun run = run_sentiment_trace(
      sentences, options, {},
      [&](int64_t epoch, const SentimentEpoch& state) { progress.show(epoch, state.loss); });

  if (command.format == Format::kText) {
    output.write(trace_text(sentences, options, run));
  } else {
    OutputSink sink(output);
    emit_records(sentences, options, run, sink);
  }
  output.finish();
  if (run.diverged) {
    throw UserError("epoch " + std::to_string(run.epochs.size()) +
                        ": the loss is not finite any more; the run has diverged",
                    ExitCode::kFailed);
  }
}

}  // namespace qkvlab
