#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/terminal.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/show_maps.hpp"
#include "cli/show_plots.hpp"
#include "cli/shown_maps.hpp"
#include "cli/shown_runs.hpp"
#include "cli/talk.hpp"
#include "cli/terminal_style.hpp"
#include "record/recorded_runs.hpp"
#include "report/table.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

/// Which pictures are drawn.
struct Pictures {
  bool curves = true, gradients = true, attention = true;
  bool narrowed = false;  // an option chooses among the attention maps
};

/// What --what names and other options are about; without any everything.
Pictures pictures_of(const ShowCommand& command) {
  const auto names = [&](const std::string& name) {
    return std::find(command.what.begin(), command.what.end(), name) != command.what.end();
  };
  Pictures pictures;
  pictures.narrowed = command.layer || command.head || command.sample || !command.steps.empty();
  if (command.what.empty() && command.metrics.empty() && !pictures.narrowed) return pictures;
  pictures.curves = names("curves") || !command.metrics.empty();
  pictures.gradients = names("gradients");
  pictures.attention = names("attention") || pictures.narrowed;
  return pictures;
}

TextStyle style_of(const ShowCommand& command) {
  const bool on_terminal = command.out.empty();
  TextStyle style = text_style(command.out);
  if (command.width) style.width = static_cast<size_t>(*command.width);
  style.colours = command.colours == ShowCommand::Colours::kAlways ||
                  (command.colours == ShowCommand::Colours::kAuto && on_terminal &&
                   takes_colours(STDOUT_FILENO));
  style.ascii = style.ascii || command.ascii;
  return style;
}

/// The names of what is recorded, with commas behind; many heads and parameters are one name.
std::vector<std::string> metrics_of(const Recording& recording) {
  std::vector<std::string> names, of_maps;
  int64_t parameters = 0;
  for (const std::string& metric : recording.metrics) {
    if (metric.rfind("gradients.", 0) == 0) {
      ++parameters;
    } else if (metric == "attention.entropy" || metric == "attention.diagonal") {
      of_maps.push_back(metric);
    } else if (metric.rfind("attention.", 0) != 0 && metric != "step.loss") {
      names.push_back(metric);
    }
  }
  names.insert(names.end(), of_maps.begin(), of_maps.end());
  if (parameters > 0) {
    names.push_back("gradients.PATH of " + std::to_string(parameters) + " parameters");
  }
  for (size_t i = 0; i + 1 < names.size(); ++i) names[i] += ",";
  return names;
}

/// The options that show what else is recorded.
std::string other_options(const Recording& recording, const ShownMaps& maps,
                          const Pictures& pictures, const TextStyle& style) {
  constexpr size_t kOptionColumns = 20;
  Table table({{"", Align::kLeft}, {"", Align::kLeft}});
  const auto add_numbers = [&](const std::string& option, const std::set<int64_t>& numbers) {
    if (numbers.size() > 1) table.add_row({option, numbers_text(numbers)});
  };
  std::set<int64_t> seeds;
  for (const RecordedRun& run : recording.runs) seeds.insert(run.begin.seed);
  add_numbers("--seed N", seeds);
  if (pictures.attention) {
    add_numbers("--step N", maps.seen().steps);
    add_numbers("--layer N", maps.seen().layers);
    add_numbers("--head N", maps.seen().heads);
    add_numbers("--sample N", maps.seen().samples);
  }
  std::string option = "--metric NAME";
  for (const std::string& line :
       wrapped(metrics_of(recording), " ",
               std::max(style.width, 2 * kOptionColumns) - kOptionColumns)) {
    table.add_row({option, line});
    option.clear();
  }
  const std::string rows = table.text(2, style);
  return rows.empty() ? "" : "Also recorded; these options choose:\n" + rows;
}

std::string text_of(const Recording& recording, const ShownMaps& maps, const Pictures& pictures,
                    const ShowCommand& command, const TextStyle& style) {
  const std::vector<ShownVariant> variants = shown_variants(recording, command);
  const std::string experiments = experiments_text(recording, style.width) + "\n";
  if (recording.metrics.empty()) {
    return experiments +
           paragraph("",
                     "No steps, evaluations or attention maps are recorded. Tensors, as qkvlab "
                     "trace writes them, are shown by that command itself.",
                     0, style.width);
  }
  std::vector<std::string> texts;
  if (pictures.curves) texts.push_back(curves_text(recording, variants, command, style));
  if (pictures.gradients) texts.push_back(gradients_text(variants, style));
  if (pictures.attention) texts.push_back(maps_text(maps, variants, pictures.narrowed, style));
  texts.push_back(other_options(recording, maps, pictures, style));
  std::string text = experiments;
  for (const std::string& one : texts) text += (&one == &texts.front() ? "" : "\n") + one;
  return text;
}

}  // namespace

void run_show(const ShowCommand& command) {
  const Pictures pictures = pictures_of(command);
  ShownMaps maps(command);
  ReadingChoice choice;
  choice.wants_series = [&](const std::string& series) {
    return (pictures.curves && is_of_curves(command, series)) ||
           (pictures.gradients && is_of_gradients(series));
  };
  if (pictures.attention) {
    choice.visit_attention = [&maps](const RecordedRun& run, const AttentionRecord& map) {
      maps.see(run, map);
    };
  }
  const Recording recording = read_recording(command.paths, choice);
  for (const std::string& sentence : recording.left_out) warn(sentence);
  if (recording.runs.empty()) {
    throw UserError(command.paths.front() + ": holds no runs to show");
  }
  maps.check();
  const TextStyle style = style_of(command);
  const std::string text = text_of(recording, maps, pictures, command, style);
  Output output(command.out, recording.files);
  output.write(in_style(text, style));
  output.finish();
}

}  // namespace qkvlab
