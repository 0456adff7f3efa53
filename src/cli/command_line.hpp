#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "cli/comparing.hpp"

namespace qkvlab {

enum class Format { kText, kJson, kJsonLines, kMarkdown, kCsv, kHtml };

/// `qkvlab trace`, and `qkvlab trace CONFIG [key=value…]`
struct TraceCommand {
  std::string config;  // empty: the classifier of sentences
  std::vector<std::string> overrides;
  int64_t sample = 1;  // of the config's task, from 1
  std::string split = "train";
  // Of the classifier alone:
  std::string file = "data/sentiment8.tsv";
  std::string mode = "full";
  int64_t seed = 31;
  int64_t sentence = 1;  // from 1, as people count
  int64_t epochs = 100;
  // Of both:
  Format format = Format::kText;
  std::string out;  // empty: stdout
};

/// `qkvlab attend FILE`
struct AttendCommand {
  std::string file;
  Format format = Format::kText;
  std::string out;  // empty: stdout
};

/// `qkvlab doctor`
struct DoctorCommand {
  Format format = Format::kText;
  std::string out;  // empty: stdout
};

/// `qkvlab train CONFIG [key=value…]`
struct TrainCommand {
  std::string config;
  std::vector<std::string> overrides;
  std::string folder;           // empty: runs/NAME
  std::optional<int64_t> seed;  // nothing: what the config says
  bool resume = false;
  bool overwrite = false;
  Format format = Format::kText;
};

/// `qkvlab ablate CONFIG [key=value…]`
struct AblateCommand {
  std::string config;
  std::vector<std::string> overrides;
  std::vector<std::string> variants;  // empty: those of the config
  std::string seeds;                  // "0..9,20"; empty: those of the config
  std::string folder;                 // empty: runs/NAME
  bool resume = false;
  bool overwrite = false;
  std::optional<int64_t> workers;   // nothing: what the config says
  std::optional<int64_t> replicas;  // likewise
  Format format = Format::kText;
};

/// `qkvlab compare PATH…`
struct CompareCommand {
  ComparisonOptions comparison;
  Format format = Format::kText;
  std::string out;  // empty: stdout
};

/// `qkvlab show PATH…`
struct ShowCommand {
  enum class Colours { kAuto, kAlways, kNever };
  std::vector<std::string> paths;
  std::vector<std::string> what;      // curves, gradients, attention; empty: all, or what the
                                      // other options are about
  std::vector<std::string> metrics;   // empty: the losses
  std::vector<std::string> variants;  // empty: all
  std::set<int64_t> seeds;            // empty: all
  std::optional<int64_t> layer, head, sample;
  std::vector<std::string> steps;  // numbers, first, last, all; empty: first and last
  Colours colours = Colours::kAuto;
  bool ascii = false;
  std::optional<int64_t> width;  // nothing: that of the terminal
  std::string out;               // empty: stdout
};

/// `qkvlab report PATH… -o FILE.html`
struct ReportCommand {
  ComparisonOptions comparison;
  std::string out;  // empty: stdout
};

/// `qkvlab check CONFIG [key=value…]`
struct CheckCommand {
  std::string config;
  std::vector<std::string> overrides;
  Format format = Format::kText;
  std::string out;  // empty: stdout
};

/// `qkvlab schema`
struct SchemaCommand {
  Format format = Format::kJson;
  std::string out;  // empty: stdout
};

/// Nothing is left to do: help or the version was asked for and has been printed.
struct NoCommand {};

using Command = std::variant<NoCommand, TraceCommand, TrainCommand, AblateCommand, AttendCommand,
                             CompareCommand, ShowCommand, ReportCommand, DoctorCommand,
                             CheckCommand, SchemaCommand>;

/// Reads a command line; the two executables share it, so that `qkvlab` finds every mistake on it
/// before LibTorch is loaded. Throws UserError with the nearest spelling. Prints help and the
/// version itself, and throws UserError (exit code 1) where standard output does not take them.
/// Without any word it prints a short help to stderr and throws UserError.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace qkvlab
