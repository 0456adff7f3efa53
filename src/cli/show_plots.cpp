#include "cli/show_plots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "report/plot_table.hpp"
#include "report/text_block.hpp"
#include "report/text_plot.hpp"
#include "statistics/curves.hpp"
#include "statistics/metric.hpp"
#include "statistics/observations.hpp"

namespace qkvlab {

namespace {

constexpr const char* kTrainingLoss = "step.loss";
constexpr const char* kGradientNorm = "step.grad_norm";

/// W_Q, W_K and W_V with the metrics (see series_of) of their gradients.
constexpr std::array<std::pair<const char*, const char*>, 3> kProjections = {
    {{"W_Q", "gradients.q_proj.weight"},
     {"W_K", "gradients.k_proj.weight"},
     {"W_V", "gradients.v_proj.weight"}}};

bool is_held_out_loss(const std::string& series) {
  return series == "test.loss" || series == "validation.loss";
}

/// Whether attention maps must be read for a metric: "attention.entropy" is asked for then.
bool is_of_maps(const std::string& metric, const std::string& series) {
  return metric.rfind(series + ".", 0) == 0;
}

/// The series of a metric over all variants: the curve of each.
Plot plot_of(const std::string& title, const std::vector<ShownVariant>& variants,
             const std::string& series) {
  Plot plot;
  plot.title = title;
  for (const ShownVariant& variant : variants) {
    std::vector<const Series*> runs;
    for (const RecordedRun* run : variant.runs) {
      const auto found = run->series.find(series);
      if (found != run->series.end()) runs.push_back(&found->second);
    }
    plot.lines.push_back({variant.name, curve_of(runs)});
  }
  return plot;
}

/// The names of a metric's series in any run, in order.
std::set<std::string> series_names(const std::vector<ShownVariant>& variants,
                                   const std::string& metric) {
  std::set<std::string> names;
  for (const ShownVariant& variant : variants) {
    for (const RecordedRun* run : variant.runs) {
      for (const auto& entry : run->series) {
        if (names_series(metric, entry.first)) names.insert(entry.first);
      }
    }
  }
  return names;
}

bool is_empty(const Plot& plot) {
  return std::all_of(plot.lines.begin(), plot.lines.end(),
                     [](const Plot::Line& line) { return line.curve.empty(); });
}

std::string plot_text(const Plot& plot, const TextStyle& style) {
  PlotRoom room;
  room.columns = style.width;
  return side_by_side({text_plot(plot, room, style)}, style.width) + curve_ends(plot, style);
}

/// The norm of several matrices together at each step that a run has of the first of them:
/// gradients of all parameters are recorded at once.
Series together(const std::vector<PartOfRun>& parts) {
  Series norms = *parts.front().series;
  for (size_t i = 0; i < norms.values.size(); ++i) {
    double squares = 0;
    for (const PartOfRun& part : parts) {
      if (i >= part.series->values.size()) continue;
      squares += std::pow(static_cast<double>(part.series->values[i]), 2);
    }
    norms.values[i] = static_cast<float>(std::sqrt(squares));
  }
  return norms;
}

Plot projection_plot(const std::string& title, const std::vector<ShownVariant>& variants,
                     const std::string& metric) {
  Plot plot;
  plot.title = title;
  for (const ShownVariant& variant : variants) {
    std::vector<Series> norms;
    for (const RecordedRun* run : variant.runs) {
      const std::vector<PartOfRun> parts = series_of(*run, metric);
      if (!parts.empty()) norms.push_back(together(parts));
    }
    std::vector<const Series*> runs;
    for (const Series& series : norms) runs.push_back(&series);
    plot.lines.push_back({variant.name, curve_of(runs)});
  }
  return plot;
}

/// The series of a metric, at least one. Throws UserError where it is none of the recording's.
std::set<std::string> known_series(const Recording& recording,
                                   const std::vector<ShownVariant>& variants,
                                   const std::string& metric) {
  std::set<std::string> names = series_names(variants, metric);
  if (!names.empty()) return names;
  const bool recorded =
      std::any_of(recording.metrics.begin(), recording.metrics.end(),
                  [&](const std::string& series) { return names_series(metric, series); });
  if (recorded) throw UserError("--metric: none of the runs shown has recorded " + metric);
  throw UserError("--metric: " + unknown_name("metric", metric, metric_names(recording)));
}

}  // namespace

bool is_of_curves(const ShowCommand& command, const std::string& series) {
  if (command.metrics.empty()) return series == kTrainingLoss || is_held_out_loss(series);
  return std::any_of(command.metrics.begin(), command.metrics.end(),
                     [&](const std::string& metric) {
                       return names_series(metric, series) || is_of_maps(metric, series);
                     });
}

bool is_of_gradients(const std::string& series) {
  return series == kGradientNorm ||
         std::any_of(kProjections.begin(), kProjections.end(), [&](const auto& projection) {
           return names_series(projection.second, series);
         });
}

std::string curves_text(const Recording& recording, const std::vector<ShownVariant>& variants,
                        const ShowCommand& command, const TextStyle& style) {
  std::vector<std::pair<std::string, std::string>> titles;  // with the series
  if (command.metrics.empty()) {
    titles.emplace_back("training loss (step.loss)", kTrainingLoss);
    for (const std::string& series : recording.metrics) {
      if (is_held_out_loss(series)) titles.emplace_back("held-out loss (" + series + ")", series);
    }
  }
  for (const std::string& metric : command.metrics) {
    for (const std::string& series : known_series(recording, variants, metric)) {
      titles.emplace_back(series, series);
    }
  }
  std::string text;
  for (const auto& [title, series] : titles) {
    const Plot plot = plot_of(title, variants, series);
    if (!is_empty(plot)) text += (text.empty() ? "" : "\n") + plot_text(plot, style);
  }
  if (text.empty()) {
    return paragraph("",
                     "No losses are recorded: record.step of a config says how often (0: never)", 0,
                     style.width);
  }
  return text;
}

std::string gradients_text(const std::vector<ShownVariant>& variants, const TextStyle& style) {
  std::vector<Plot> plots = {plot_of("all parameters", variants, kGradientNorm)};
  for (const auto& [title, metric] : kProjections) {
    plots.push_back(projection_plot(title, variants, metric));
  }
  plots.erase(std::remove_if(plots.begin(), plots.end(), is_empty), plots.end());
  if (plots.empty()) {
    return paragraph("",
                     "No norms of gradients are recorded: record.step and record.gradients of a "
                     "config say how often (0: never)",
                     0, style.width);
  }
  constexpr size_t kGap = 3, kMostBeside = 4, kLeastColumns = 36;
  const size_t beside = std::clamp<size_t>((style.width + kGap) / (kLeastColumns + kGap), 1,
                                           std::min(kMostBeside, plots.size()));
  PlotRoom room;
  room.columns = (style.width + kGap) / beside - kGap;
  room.lines = 9;
  std::vector<TextBlock> blocks;
  for (const Plot& plot : plots) blocks.push_back(text_plot(plot, room, style));
  return "norms of gradients over steps\n" + side_by_side(blocks, style.width) +
         last_means(plots, style);
}

}  // namespace qkvlab
