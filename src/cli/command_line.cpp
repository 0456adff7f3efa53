#include "cli/command_line.hpp"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "base/version.hpp"
#include "cli/comparison_options.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/show_options.hpp"
#include "cli/terminal_style.hpp"
#include "config/projection_plan.hpp"

namespace qkvlab {

namespace {

constexpr int64_t kMaxEpochs = 1'000'000;

/// A config file and what is to differ from it.
CLI::Option* add_config(CLI::App* app, std::string& config, std::vector<std::string>& overrides) {
  CLI::Option* file =
      add_file(app, "CONFIG", config, "A config file; see configs/README.md")->required();
  app->add_option("OVERRIDE", overrides,
                  "key=value: another value of a field, such as model.attention.mode=uniform")
      ->type_name("");
  return file;
}

CLI::App* add_trace(CLI::App& app, TraceCommand& command) {
  CLI::App* trace = app.add_subcommand(
      "trace",
      "Train the sentence classifier, or take one step of a config, and show every matrix");
  add_config(trace, command.config, command.overrides)->required(false);
  add_integer(trace, "--sample", command.sample, 1, INT64_MAX,
              "With CONFIG: the example to show and to take the step on, from 1");
  trace->add_option("--split", command.split, "With CONFIG: the split that it is of")
      ->type_name("SPLIT")
      ->capture_default_str();
  add_file(trace, "--file", command.file, "On each line a label, a tab, words")
      ->type_name("TSV")
      ->capture_default_str();
  add_choice(
      trace, "--mode", "mode", attention_mode_names(),
      [&command](const std::string& name) { command.mode = name; }, "What attention is made of")
      ->type_name("MODE")
      ->default_str(command.mode);
  add_integer(trace, "--seed", command.seed, 0, INT64_MAX, "Random seed, as in torch.manual_seed");
  add_integer(trace, "--sentence", command.sentence, 1, INT64_MAX,
              "The sentence to show and to take the first step on, from 1");
  add_integer(trace, "--epochs", command.epochs, 0, kMaxEpochs,
              "Full-batch steps on all sentences after that step");
  add_format(trace, command.format, {{"text", Format::kText}, {"jsonl", Format::kJsonLines}});
  add_out(trace, command.out);
  add_quiet(trace);
  return trace;
}

bool ends_in(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Refuses sentences in place of a config, and options of the other kind of trace.
void check_trace(const CLI::App& trace, const TraceCommand& command) {
  if (ends_in(command.config, ".tsv")) {
    throw UserError("trace: " + command.config +
                    ": is a table of sentences, not a config; did you mean --file " +
                    command.config + "?");
  }
  const auto given = [&](const std::string& name) { return trace.get_option(name)->count() > 0; };
  const std::vector<std::pair<std::string, std::string>> instead = {
      {"--file", "give task.file=…"},
      {"--mode", "give model.attention.mode=…"},
      {"--seed", "give random.seed=…"},
      {"--sentence", "give --sample"},
      {"--epochs", "it takes one step; qkvlab train trains"}};
  for (const auto& [name, hint] : instead) {
    if (command.config.empty() || !given(name)) continue;
    throw UserError("trace: " + name + ": not with a config ('" + command.config + "'); " + hint);
  }
  for (const std::string name : {"--sample", "--split"}) {
    if (command.config.empty() && given(name)) {
      throw UserError("trace: " + name + ": needs a config; without one, --sentence chooses");
    }
  }
}

CLI::App* add_attend(CLI::App& app, AttendCommand& command) {
  CLI::App* attend =
      app.add_subcommand("attend", "Attention on matrices written by hand, every step shown");
  add_file(attend, "FILE", command.file, "JSON: x, w_q, w_k, w_v or q, k, v; see configs/README.md")
      ->required();
  add_format(attend, command.format, {{"text", Format::kText}, {"json", Format::kJson}});
  add_out(attend, command.out);
  return attend;
}

CLI::App* add_train(CLI::App& app, TrainCommand& command) {
  CLI::App* train = app.add_subcommand("train", "One run of a config, into an experiment's folder");
  add_config(train, command.config, command.overrides);
  add_integer(train, "--seed", command.seed, 0, INT64_MAX, "The run's seed, as random.seed=N")
      ->default_str("random.seed of the config");
  add_folder(train, command.folder);
  add_existing(train, command.resume, command.overwrite);
  add_format(train, command.format, {{"text", Format::kText}, {"json", Format::kJson}});
  add_quiet(train);
  return train;
}

CLI::App* add_ablate(CLI::App& app, AblateCommand& command) {
  CLI::App* ablate = app.add_subcommand(
      "ablate",
      "Variants of a config over many seeds, compared seed by seed; goes on where it was");
  add_config(ablate, command.config, command.overrides);
  add_each(ablate, "--variant", command.variants,
           "A variant of the config or an attention mode, as often as there are such")
      ->default_str("those of the config");
  const auto read_seeds = [&command](const std::string& seeds) {
    if (seeds.empty()) throw UserError("--seeds: must be seeds such as 0..9 or 0..4,7");
    command.seeds = seeds;
  };
  ablate
      ->add_option_function<std::string>("--seeds", read_seeds,
                                         "Seeds of the runs, such as 0..99 or 0..4,7")
      ->type_name("SEEDS")
      ->default_str("those of the config");
  constexpr int64_t kMaxWorkers = 1024, kMaxReplicas = 1'000'000;
  add_integer(ablate, "--workers", command.workers, 1, kMaxWorkers, "Processes side by side")
      ->default_str("run.workers of the config");
  add_integer(ablate, "--replicas", command.replicas, 1, kMaxReplicas,
              "Runs that train as one stacked model")
      ->default_str("run.replicas of the config");
  add_folder(ablate, command.folder);
  add_existing(ablate, command.resume, command.overwrite);
  add_format(ablate, command.format, {{"text", Format::kText}, {"json", Format::kJson}});
  add_quiet(ablate);
  return ablate;
}

CLI::App* add_compare(CLI::App& app, CompareCommand& command) {
  CLI::App* compare = app.add_subcommand(
      "compare", "Variants across seeds, seed by seed: what differs, and how sure that is");
  add_comparison_options(compare, command.comparison, true);
  add_format(compare, command.format,
             {{"text", Format::kText},
              {"markdown", Format::kMarkdown},
              {"csv", Format::kCsv},
              {"json", Format::kJson}});
  add_out(compare, command.out);
  add_quiet(compare);
  return compare;
}

CLI::App* add_show(CLI::App& app, ShowCommand& command) {
  CLI::App* show = app.add_subcommand(
      "show", "Attention maps, losses and gradient norms of recorded runs, in the terminal");
  add_show_options(show, command);
  return show;
}

CLI::App* add_report(CLI::App& app, ReportCommand& command) {
  CLI::App* report = app.add_subcommand(
      "report", "One HTML page of runs: comparison, every seed, curves, attention maps, config");
  add_comparison_options(report, command.comparison, false);
  const auto read = [&command](const std::string& file) {
    if (file.empty()) throw UserError("--out: a file's name must not be empty");
    command.out = file == "-" ? "" : file;
  };
  report
      ->add_option_function<std::string>("-o,--out", read,
                                         "The page, one file; - is standard output")
      ->type_name("FILE.html")
      ->required();
  add_quiet(report);
  return report;
}

CLI::App* add_doctor(CLI::App& app, DoctorCommand& command) {
  CLI::App* doctor = app.add_subcommand("doctor", "LibTorch, BLAS, threads; what a mask means");
  add_format(doctor, command.format, {{"text", Format::kText}, {"json", Format::kJson}});
  add_out(doctor, command.out);
  return doctor;
}

CLI::App* add_check(CLI::App& app, CheckCommand& command) {
  CLI::App* check = app.add_subcommand(
      "check", "A config with all its defaults, its parameters and FLOPs; runs nothing");
  add_config(check, command.config, command.overrides);
  add_format(check, command.format, {{"text", Format::kText}, {"json", Format::kJson}});
  add_out(check, command.out);
  return check;
}

CLI::App* add_schema(CLI::App& app, SchemaCommand& command) {
  CLI::App* schema = app.add_subcommand("schema", "JSON Schema of config files, for editors");
  add_format(schema, command.format, {{"json", Format::kJson}, {"markdown", Format::kMarkdown}});
  add_out(schema, command.out);
  return schema;
}

/// Prints what was asked for instead of a command: help or the version.
void print_answer(const CLI::App& app, const CLI::Success& question) {
  const bool version = dynamic_cast<const CLI::CallForVersion*>(&question) != nullptr;
  Output output("");
  output.write(version ? std::string(question.what()) + "\n"
                       : help_text(app, terminal_columns(STDOUT_FILENO)));
  output.finish();
}

/// `help` and `help COMMAND` are other words for --help.
std::vector<std::string> words_of(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  const std::vector<std::string> commands = subcommand_names(app);
  const std::string& asked = words.front();
  if (asked.rfind('-', 0) != 0 &&
      std::find(commands.begin(), commands.end(), asked) == commands.end()) {
    throw UserError(unknown_name("command", asked, commands));
  }
  return words;
}

/// Without any word.
[[noreturn]] void refuse_nothing() {
  std::fputs(short_help(terminal_columns(STDERR_FILENO)).c_str(), stderr);
  throw UserError("no command given; `qkvlab help` says which there are");
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("What does each part of attention buy? An attention laboratory on LibTorch.",
               "qkvlab");
  app.set_version_flag("-V,--version", std::string("qkvlab ") + kVersion);
  app.require_subcommand(0, 1);  // a second command is an argument too many
  TraceCommand trace_command;
  AttendCommand attend_command;
  TrainCommand train_command;
  AblateCommand ablate_command;
  CompareCommand compare_command;
  ShowCommand show_command;
  ReportCommand report_command;
  DoctorCommand doctor_command;
  CheckCommand check_command;
  SchemaCommand schema_command;
  const CLI::App* trace = add_trace(app, trace_command);
  const CLI::App* train = add_train(app, train_command);
  const CLI::App* ablate = add_ablate(app, ablate_command);
  const CLI::App* compare = add_compare(app, compare_command);
  const CLI::App* show = add_show(app, show_command);
  const CLI::App* report = add_report(app, report_command);
  const CLI::App* attend = add_attend(app, attend_command);
  const CLI::App* doctor = add_doctor(app, doctor_command);
  const CLI::App* check = add_check(app, check_command);
  const CLI::App* schema = add_schema(app, schema_command);
  const std::vector<std::string> words = words_of(app, argc, argv);
  if (words.empty()) refuse_nothing();
  refuse_empty_values(words);
  try {
    parse_words(app, words);
  } catch (const CLI::Success& question) {
    print_answer(app, question);
    return NoCommand{};
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
  }
  if (trace->parsed()) {
    check_trace(*trace, trace_command);
    refuse_other_extension(*trace, trace_command.out, trace_command.format);
    return trace_command;
  }
  if (compare->parsed()) {
    check_comparison_options(*compare, compare_command.comparison);
    refuse_other_extension(*compare, compare_command.out, compare_command.format);
    return compare_command;
  }
  if (show->parsed()) {
    check_show_options(show_command);
    refuse_other_extension(*show, show_command.out, Format::kText);
    return show_command;
  }
  if (report->parsed()) {
    check_comparison_options(*report, report_command.comparison);
    refuse_other_extension(*report, report_command.out, Format::kHtml);
    return report_command;
  }
  if (attend->parsed()) {
    refuse_other_extension(*attend, attend_command.out, attend_command.format);
    return attend_command;
  }
  if (doctor->parsed()) {
    refuse_other_extension(*doctor, doctor_command.out, doctor_command.format);
    return doctor_command;
  }
  if (train->parsed()) return train_command;
  if (ablate->parsed()) return ablate_command;
  if (check->parsed()) {
    refuse_other_extension(*check, check_command.out, check_command.format);
    return check_command;
  }
  if (schema->parsed()) {
    refuse_other_extension(*schema, schema_command.out, schema_command.format);
    return schema_command;
  }
  throw UserError("no command given; allowed: " + list_of_names(subcommand_names(app)));
}

}  // namespace qkvlab
