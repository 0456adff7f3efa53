#include "report/plot_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_text.hpp"
#include "report/table.hpp"

namespace qkvlab {

namespace {

constexpr int kValueDigits = 4;

std::string value_text(double value) { return significant(value, kValueDigits); }

/// The digits in which a mean and the ends of its interval can be told apart.
int digits_of(const CurvePoint& point) {
  constexpr int kMost = 12;
  if (!point.band || point.band->high <= point.band->low) return kValueDigits;
  const double share = std::abs(*point.mean) / (point.band->high - point.band->low);
  if (share <= 1) return kValueDigits;
  return std::clamp(static_cast<int>(std::ceil(std::log10(share))) + 2, kValueDigits, kMost);
}

std::optional<CurvePoint> last_of(const Curve& curve) {
  const auto last = std::find_if(curve.rbegin(), curve.rend(),
                                 [](const CurvePoint& point) { return point.mean.has_value(); });
  return last == curve.rend() ? std::nullopt : std::optional<CurvePoint>(*last);
}

/// "10", or "7 of 10" where another step has values of more runs.
std::string runs_text(const Curve& curve, int64_t runs) {
  int64_t most = 0;
  for (const CurvePoint& point : curve) most = std::max(most, point.n + point.not_finite);
  const std::string text = std::to_string(runs);
  return runs == most ? text : text + " of " + std::to_string(most);
}

/// Where a curve has no last mean: it has no points, or none is finite.
std::string why_none(const Curve& curve) { return curve.empty() ? "none" : "not finite"; }

std::string letter_text(size_t line) { return std::string(1, letter_of_line(line)); }

}  // namespace

std::string curve_ends(const Plot& plot, const TextStyle& style) {
  Table table(
      {{""}, {"", Align::kLeft}, {"at step"}, {"mean"}, {"95 % interval", Align::kLeft}, {"runs"}},
      /*labels=*/2);
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    const auto& [name, curve] = plot.lines[i];
    const std::optional<CurvePoint> last = last_of(curve);
    if (!last) {
      table.add_row({letter_text(i), name, "", why_none(curve), "", runs_text(curve, 0)});
      continue;
    }
    const int digits = digits_of(*last);
    const std::string band = last->band ? significant(last->band->low, digits) + " to " +
                                              significant(last->band->high, digits)
                                        : "";
    table.add_row({letter_text(i), name, std::to_string(last->step),
                   significant(*last->mean, digits), band, runs_text(curve, last->n)});
  }
  return table.text(2, style);
}

std::string last_means(const std::vector<Plot>& plots, const TextStyle& style) {
  std::vector<Table::Column> columns = {{""}, {"last mean", Align::kLeft}};
  for (const Plot& plot : plots) columns.push_back({plot.title});
  Table table(columns, /*labels=*/2);
  for (size_t i = 0; i < plots.front().lines.size(); ++i) {
    std::vector<std::string> row = {letter_text(i), plots.front().lines[i].name};
    for (const Plot& plot : plots) {
      const std::optional<CurvePoint> last = last_of(plot.lines[i].curve);
      row.push_back(last ? value_text(*last->mean) : why_none(plot.lines[i].curve));
    }
    table.add_row(std::move(row));
  }
  return table.text(2, style);
}

}  // namespace qkvlab
