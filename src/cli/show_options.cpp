#include "cli/show_options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "cli/options.hpp"

namespace qkvlab {

namespace {

const std::vector<std::string>& pictures() {
  static const std::vector<std::string> names = {"curves", "gradients", "attention"};
  return names;
}

}  // namespace

void add_show_options(CLI::App* show, ShowCommand& command) {
  add_files(show, "PATH", command.paths,
            "Folders that train and ablate write, or record files; - is standard input")
      ->required();
  add_names(show, "--what", command.what, list_of_names(pictures()) + ", with commas between")
      ->default_str("all, or what other options are about");
  add_names(show, "--metric", command.metrics,
            "Curves of these instead of the losses: test.accuracy, attention.entropy (of each "
            "head), gradients.q_proj.weight (of each block)")
      ->default_str("the losses");
  add_each(show, "--variant", command.variants, "A variant to show, as often as there are such")
      ->default_str("all");
  add_seeds(show, "--seed", command.seeds, "Runs of these seeds only, such as 3 or 0..4,7");
  add_integer(show, "--layer", command.layer, 0, INT64_MAX, "Maps of this layer, from 0");
  add_integer(show, "--head", command.head, 0, INT64_MAX, "Maps of this head, from 0");
  add_integer(show, "--sample", command.sample, 0, INT64_MAX, "Maps of this sample, from 0")
      ->default_str("the first");
  add_names(show, "--step", command.steps,
            "Maps of these steps: numbers, first, last or all, with commas between")
      ->default_str("first,last");
  add_choice(
      show, "--color,--colour", "choice", {"auto", "always", "never"},
      [&command](const std::string& name) {
        using Colours = ShowCommand::Colours;
        command.colours = name == "auto"     ? Colours::kAuto
                          : name == "always" ? Colours::kAlways
                                             : Colours::kNever;
      },
      "xterm's 256 colours")
      ->type_name("WHEN")
      ->default_str("auto");
  show->add_flag("--ascii", command.ascii, "ASCII alone, as where the locale is not of UTF-8");
  constexpr int64_t kLeastWidth = 50, kMostWidth = 10'000;
  add_integer(show, "--width", command.width, kLeastWidth, kMostWidth, "Columns to fill")
      ->default_str("those of the terminal, else 80");
  add_out(show, command.out);
  add_quiet(show);
}

void check_show_options(const ShowCommand& command) {
  for (const std::string& name : command.what) {
    if (std::find(pictures().begin(), pictures().end(), name) == pictures().end()) {
      throw UserError("--what: " + unknown_name("picture", name, pictures()));
    }
  }
  for (const std::string& step : command.steps) {
    const std::optional<int64_t> number = parse_integer(step);
    if (step == "first" || step == "last" || step == "all" || (number && *number >= 0)) continue;
    throw UserError("--step: must be steps such as 0,100, or first, last or all; got '" + step +
                    "'");
  }
}

}  // namespace qkvlab
