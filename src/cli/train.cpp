#include "experiment/train_run.hpp"

#include <spdlog/spdlog.h>

#include <csignal>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "base/terminal.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "config/experiment_reader.hpp"
#include "record/experiment_folder.hpp"
#include "report/table.hpp"

namespace qkvlab {

namespace {

/// The latest evaluation of each split, a line each.
std::string evaluations_text(const TrainResult& result) {
  if (result.evaluations.empty()) return "";
  std::vector<Table::Column> columns = {
      {"step", Align::kRight}, {"split", Align::kLeft}, {"loss", Align::kRight}};
  for (const auto& [name, value] : result.evaluations.front().metrics) {
    columns.push_back({name, Align::kRight});
  }
  Table table(columns);
  for (const Evaluation& evaluation : result.evaluations) {
    std::vector<std::string> cells = {std::to_string(evaluation.step), evaluation.split,
                                      fixed(evaluation.loss, 4)};
    for (const auto& [name, value] : evaluation.metrics) cells.push_back(fixed(value, 4));
    table.add_row(cells);
  }
  return table.text();
}

std::string evaluation_text(const Evaluation& evaluation) {
  std::string text = "after step " + std::to_string(evaluation.step) + ": " + evaluation.split +
                     " loss " + fixed(evaluation.loss, 4);
  for (const auto& [name, value] : evaluation.metrics) text += ", " + name + " " + fixed(value, 4);
  return text;
}

/// Trains with its progress on stderr.
TrainResult train(const ExperimentConfig& config, const TrainOptions& options, bool resume) {
  Progress progress("step");
  TrainListener listener;
  listener.begins = [&](int64_t step) {
    if (step > 0) {
      progress.note("going on after step " + std::to_string(step));
    } else if (resume) {
      progress.note("nothing of this run was saved; it begins at step 1");
    }
  };
  listener.step = [&](const StepReport& report) {
    progress.show(report.step, report.total, report.loss, report.tokens, "tokens");
  };
  listener.evaluation = [&](const Evaluation& evaluation) {
    progress.note(evaluation_text(evaluation));
  };
  listener.warn = [&](const std::string& text) { progress.note("warning: " + printable(text)); };
  return train_run(config, options, listener);
}

/// What ended the run too early, as its own exit code.
void complain(const TrainResult& result, const TrainCommand& command, const std::string& folder) {
  if (result.status == "interrupted") {
    throw UserError(result.reason + " after step " + std::to_string(result.steps) + " of " +
                        std::to_string(result.total_steps) + "; the run is saved in " + folder +
                        ", the same command " + (command.overwrite ? "without --overwrite " : "") +
                        "goes on",
                    ExitCode::kInterrupted);
  }
  if (result.status == "diverged") {
    throw UserError("the run has diverged: " + result.reason, ExitCode::kFailed);
  }
}

}  // namespace

void run_train(const TrainCommand& command) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever stops listening to the talk does not end the run
  ExperimentConfig config =
      read_experiment_config(find_input_file(command.config), command.overrides);
  config.ablation.reset();  // no part of a single run
  TrainOptions options;
  options.folder = command.folder.empty() ? "runs/" + config.name : command.folder;
  if (command.overwrite) options.existing = Existing::kOverwrite;
  options.interruption_notice =
      "\nfinishing this step and saving; a second signal ends the run without saving\n";
  const TrainResult result = train(config, options, command.resume);
  if (result.had_ended && !command.resume) {
    throw UserError(printable(options.folder) + ": this run is there already (" + result.status +
                    " after " + std::to_string(result.steps) + " steps); --overwrite begins anew");
  }
  const ExperimentFolder folder(options.folder);
  if (result.had_ended) {
    spdlog::info("this run had ended already; --overwrite begins it anew");
  } else {
    spdlog::info("{} steps in {} s; records in {}", result.steps, significant(result.wall_s, 3),
                 printable(folder.records_file(result.run)));
  }
  Output output("");
  output.write(evaluations_text(result));
  output.finish();
  complain(result, command, printable(options.folder));
}

}  // namespace qkvlab
