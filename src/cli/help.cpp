#include "cli/help.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "base/terminal.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done; 1 a run failed or diverged, the output could not be written, or no memory "
    "was left; 2 a mistake on the command line or in a file; 70 a fault of the program itself; 75 "
    "a limit of time ended it, saved: run it again; 130 Ctrl-C and 143 SIGTERM ended it (train and "
    "ablate save what they have).";

/// What stands left of a description, and the description.
struct Entry {
  std::string name;
  std::string description;
};

/// Entries in two columns; on a narrow terminal each description beneath its name.
std::string entries_text(const std::vector<Entry>& entries, size_t width) {
  constexpr size_t kWide = 72, kColumn = 28, kIndent = 2, kBeneath = 6;
  const size_t column = width >= kWide ? kColumn : kBeneath;
  std::string text;
  for (const Entry& entry : entries) {
    const std::string name = std::string(kIndent, ' ') + entry.name;
    const bool beside = display_width(name) + kIndent <= column;
    std::string lines = paragraph(std::string(column, ' '), entry.description, column, width);
    if (beside) lines.replace(0, std::min(column, lines.size()), pad_right(name, column));
    text += (beside ? "" : name + "\n") + lines;
  }
  return text;
}

std::string section_text(const std::string& title, const std::vector<Entry>& entries,
                         size_t width) {
  return entries.empty() ? "" : "\n" + title + ":\n" + entries_text(entries, width);
}

bool takes_several(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name() + (takes_several(option) ? "..." : "");
  std::string name;
  for (const std::string& letter : option.get_snames())
    name += (name.empty() ? "-" : ", -") + letter;
  for (const std::string& word : option.get_lnames()) name += (name.empty() ? "--" : ", --") + word;
  const std::string type = option.get_type_name();
  const bool takes_a_value = option.get_items_expected_max() > 0;
  return takes_a_value && !type.empty() ? name + " " + type : name;
}

std::string description_of(const CLI::Option& option) {
  std::string text = option.get_description();
  if (option.get_required() && !option.get_positional()) text += " (required)";
  if (!option.get_default_str().empty()) text += " (default: " + option.get_default_str() + ")";
  for (const CLI::Option* other : option.get_excludes()) {
    text += " (not with " + other->get_name() + ")";
  }
  return text;
}

/// "qkvlab train CONFIG [OVERRIDE…] [options]"
std::string usage_of(const CLI::App& app, const CLI::App& command) {
  std::string text = app.get_name();
  if (&app == &command) return text + " COMMAND ...";
  text += " " + command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    text += option->get_required() ? " " + name_of(*option) : " [" + name_of(*option) + "]";
  }
  return text + " [options]";
}

/// Examples, continued on further lines as a shell takes them.
std::string examples_text(const std::string& command, size_t width) {
  constexpr const char* kContinued = " \\";
  std::string text = "\nExamples:\n";
  for (const std::string& example : examples_of(command)) {
    text += paragraph("  ", example, 6, width, kContinued);
  }
  return text;
}

}  // namespace

const std::vector<std::string>& examples_of(const std::string& command) {
  static const std::map<std::string, std::vector<std::string>> examples = {
      {"",
       {"qkvlab trace", "qkvlab ablate configs/sentiment.json --seeds 0..9",
        "qkvlab compare runs/sentiment", "qkvlab report runs/sentiment --out sentiment.html",
        "qkvlab help ablate"}},
      {"trace",
       {"qkvlab trace --mode uniform", "qkvlab trace --file my.tsv --sentence 2",
        "qkvlab trace configs/sentiment.json --sample 2",
        "qkvlab trace configs/sentiment.json --format jsonl --out tensors.jsonl"}},
      {"train",
       {"qkvlab train configs/sentiment.json",
        "qkvlab train configs/sentiment.json model.attention.mode=uniform --seed 3 --out "
        "runs/uniform",
        "qkvlab train configs/sentiment.json --resume"}},
      {"ablate",
       {"qkvlab ablate configs/sentiment.json",
        "qkvlab ablate configs/sentiment.json --variant full --variant none --seeds 0..29",
        "qkvlab ablate configs/sentiment.json training.optimizer.lr=0.1 --out runs/lr"}},
      {"compare",
       {"qkvlab compare runs/sentiment", "qkvlab compare runs/sentiment --metric train.accuracy",
        "qkvlab compare runs/sentiment --format csv --out sentiment.csv",
        "qkvlab compare scores.csv --baseline full"}},
      {"show",
       {"qkvlab show runs/sentiment", "qkvlab show runs/sentiment --what attention --step all",
        "qkvlab show runs/sentiment --metric train.accuracy --seed 0..4"}},
      {"report", {"qkvlab report runs/sentiment --out sentiment.html"}},
      {"attend",
       {"qkvlab attend configs/attend/padding_row.json",
        "qkvlab attend configs/attend/padding_row.json --format json", "qkvlab attend - <my.json"}},
      {"doctor", {"qkvlab doctor"}},
      {"check",
       {"qkvlab check configs/sentiment.json",
        "qkvlab check configs/sentiment.json model.attention.mode=shared_qk --format json"}},
      {"schema", {"qkvlab schema --out qkvlab.schema.json", "qkvlab schema --format markdown"}}};
  return examples.at(command);
}

std::string help_text(const CLI::App& app, size_t width) {
  const auto parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  const std::string& about = command.get_description();
  std::string text = paragraph("", about + (about.back() == '.' ? "" : "."), 0, width) + "\n" +
                     paragraph("", "Usage: " + usage_of(app, command), 2, width);
  std::vector<Entry> commands, arguments, options;
  for (const CLI::App* one : command.get_subcommands({})) {
    commands.push_back({one->get_name(), one->get_description()});
  }
  if (!commands.empty())
    commands.push_back({"help [COMMAND]", "What a command does, its options and examples"});
  for (const CLI::Option* option : command.get_options()) {
    (option->get_positional() ? arguments : options)
        .push_back({name_of(*option), description_of(*option)});
  }
  text += section_text("Commands", commands, width) + section_text("Arguments", arguments, width) +
          section_text("Options", options, width) +
          examples_text(&command == &app ? "" : command.get_name(), width);
  return text + "\n" + paragraph("", kExitCodes, 2, width);
}

std::string short_help(size_t width) {
  return paragraph("",
                   "qkvlab is an attention laboratory: it trains small models with parts of "
                   "attention taken away, and says what changed.",
                   0, width) +
         "\n" +
         entries_text({{"qkvlab trace", "every matrix of one small model"},
                       {"qkvlab check CONFIG", "what a config means and costs"},
                       {"qkvlab train CONFIG", "one run"},
                       {"qkvlab ablate CONFIG", "variants of it, with many seeds"},
                       {"qkvlab compare FOLDER", "what differs, and how sure that is"},
                       {"qkvlab help", "all commands, with examples"}},
                      width) +
         examples_text("", width);
}

}  // namespace qkvlab
