#include "experiment/train_run.hpp"

#include <csignal>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "cli/commands.hpp"
#include "cli/interrupted.hpp"
#include "cli/json_object.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/talk.hpp"
#include "cli/terminal_style.hpp"
#include "config/experiment_reader.hpp"
#include "record/experiment_folder.hpp"
#include "report/table.hpp"

namespace qkvlab {

namespace {

/// The latest evaluation of each split, a line each.
std::string evaluations_text(const TrainResult& result, const TextStyle& style) {
  if (result.evaluations.empty()) return "";
  std::vector<Table::Column> columns = {
      {"step", Align::kRight}, {"split", Align::kLeft}, {"loss", Align::kRight}};
  for (const auto& [name, value] : result.evaluations.front().metrics) {
    columns.push_back({name, Align::kRight});
  }
  Table table(columns, /*labels=*/2);
  for (const Evaluation& evaluation : result.evaluations) {
    std::vector<std::string> cells = {std::to_string(evaluation.step), evaluation.split,
                                      fixed(evaluation.loss, 4)};
    for (const auto& [name, value] : evaluation.metrics) cells.push_back(fixed(value, 4));
    table.add_row(cells);
  }
  return in_style(table.text(2, style), style);
}

std::string train_json(const TrainResult& result, const ExperimentFolder& folder) {
  std::vector<std::string> evaluations;
  for (const Evaluation& evaluation : result.evaluations) {
    JsonObject one;
    one.integer("step", evaluation.step).text("split", evaluation.split);
    one.number("loss", evaluation.loss);
    for (const auto& [name, value] : evaluation.metrics) one.number(name.c_str(), value);
    evaluations.push_back(one.str());
  }
  return JsonObject()
             .text("run", result.run)
             .text("status", result.status)
             .text("reason", result.reason)
             .integer("steps", result.steps)
             .number("wall_s", result.wall_s)
             .text("folder", folder.path())
             .text("records", folder.records_file(result.run))
             .json("evaluations", json_array(evaluations))
             .str() +
         "\n";
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
  listener.warn = [&](const std::string& text) { progress.warn(text); };
  return train_run(config, options, listener);
}

/// What ended the run too early, as its own exit code.
void complain(const TrainResult& result, const TrainCommand& command, const std::string& folder) {
  if (result.status == "interrupted") {
    throw UserError(result.reason + " after step " + std::to_string(result.steps) + " of " +
                        std::to_string(result.total_steps) + "; the run is saved in " + folder +
                        ", the same command " + (command.overwrite ? "without --overwrite " : "") +
                        "goes on",
                    exit_code_of(result.signal));
  }
  if (result.status == "diverged") {
    throw UserError("the run has diverged: " + result.reason, ExitCode::kFailed);
  }
}

}  // namespace

void run_train(const TrainCommand& command) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever stops listening to the talk does not end the run
  std::vector<std::string> overrides = command.overrides;
  if (command.seed) overrides.push_back("random.seed=" + std::to_string(*command.seed));
  ExperimentConfig config = read_experiment_config(find_input_file(command.config), overrides);
  config.ablation.reset();  // no part of a single run
  TrainOptions options;
  options.folder = command.folder.empty() ? "runs/" + config.name : command.folder;
  if (command.overwrite) options.existing = Existing::kOverwrite;
  options.interruption_notice = interruption_notice();
  const TrainResult result = train(config, options, command.resume);
  if (result.had_ended && !command.resume) {
    throw UserError(options.folder + ": this run is there already (" + result.status + " after " +
                    std::to_string(result.steps) + " steps); --overwrite begins anew");
  }
  const ExperimentFolder folder(options.folder);
  if (result.had_ended) {
    note("this run had ended already; --overwrite begins it anew");
  } else {
    note(std::to_string(result.steps) + " steps in " + significant(result.wall_s, 3) +
         " s; records in " + folder.records_file(result.run));
  }
  Output output("");
  output.write(command.format == Format::kJson ? train_json(result, folder)
                                               : evaluations_text(result, text_style("")));
  output.finish();
  complain(result, command, options.folder);
}

}  // namespace qkvlab
