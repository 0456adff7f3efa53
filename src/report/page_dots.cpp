#include "report/page_dots.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/terminal.hpp"
#include "report/page_text.hpp"
#include "report/page_variants.hpp"
#include "report/svg_axis.hpp"

namespace qkvlab {

namespace {

constexpr size_t kMostDrawn = 2000, kMostListed = 500;
constexpr double kDotsWidth = 656, kDotsLeft = 170, kDotsRight = 20, kDotsTop = 6, kDotsRow = 50,
                 kDotsAxis = 30;
constexpr double kDot = 5.5, kCloud = 14;  // a dot's width, a cloud's half height
constexpr size_t kVariantNameColumns = 21;

/// A row of a figure: what stands beside it, and the value of each unit that has one.
struct Row {
  size_t variant = 0;
  const std::map<UnitId, double>* values = nullptr;
  const PairedComparison* paired = nullptr;  // where the values are differences
};

std::string unit_name(const UnitId& unit) {
  return std::to_string(unit.first) + (unit.second.empty() ? "" : " " + unit.second);
}

std::vector<UnitId> units_of(const Comparison& comparison) {
  std::set<UnitId> units;
  for (const VariantComparison& variant : comparison.variants) {
    for (const auto& [unit, value] : variant.values) units.insert(unit);
    if (!variant.paired) continue;
    for (const auto& [unit, difference] : variant.paired->differences.ranked) units.insert(unit);
  }
  return {units.begin(), units.end()};
}

/// Dots in rows over one axis.
class DotFigure {
 public:
  DotFigure(const Comparison& comparison, const PageVariants& variants, std::vector<Row> rows,
            const std::vector<UnitId>& units)
      : comparison_(comparison),
        variants_(variants),
        rows_(std::move(rows)),
        axis_(axis_of(rows_)) {
    const size_t drawn = std::min(units.size(), kMostDrawn);
    for (size_t i = 0; i < drawn; ++i) place_of_[units[i]] = i;
    dots_.resize(drawn);
    joins_.resize(drawn);
    for (size_t row = 0; row < rows_.size(); ++row) place_row(row);
  }

  std::string svg(const std::string& label, bool joined) const {
    const double height = kDotsTop + kDotsRow * static_cast<double>(rows_.size()) + kDotsAxis;
    std::string svg = svg_begin(kDotsWidth, height, label) + grid(height);
    if (joined) {
      for (size_t i = 0; i < joins_.size(); ++i) svg += path("join", i, joins_[i]);
    }
    for (size_t i = 0; i < dots_.size(); ++i) svg += path("dots", i, dots_[i]);
    for (size_t row = 0; row < rows_.size(); ++row) svg += label_of(row) + interval_of(row);
    return svg + "</svg>";
  }

 private:
  static SvgAxis axis_of(const std::vector<Row>& rows) {
    std::vector<double> numbers;
    bool differences = false;
    for (const Row& row : rows) {
      for (const auto& [unit, value] : *row.values) numbers.push_back(value);
      if (row.paired == nullptr) continue;
      differences = true;
      if (row.paired->mean_ci.value) {
        numbers.push_back(row.paired->mean_ci.value->low);
        numbers.push_back(row.paired->mean_ci.value->high);
      }
    }
    if (differences) numbers.push_back(0);
    return {numbers, kDotsLeft, kDotsWidth - kDotsRight};
  }

  double middle(size_t row) const {
    return kDotsTop + kDotsRow * (static_cast<double>(row) + 0.42);
  }

  void place_row(size_t row) {
    std::vector<std::pair<size_t, double>> shown;  // the unit's place, x
    std::vector<double> places;
    for (const auto& [unit, value] : *rows_[row].values) {
      const auto found = place_of_.find(unit);
      if (found == place_of_.end() || std::isnan(value)) continue;
      shown.emplace_back(found->second, axis_.at(value));
      places.push_back(shown.back().second);
    }
    const std::vector<double> beside = swarm(places, kDot, kCloud);
    for (size_t i = 0; i < shown.size(); ++i) {
      const auto [unit, x] = shown[i];
      const std::string place = svg_number(x) + " " + svg_number(middle(row) + beside[i]);
      dots_[unit] += "M" + place + "h0";
      joins_[unit] += (joins_[unit].empty() ? "M" : "L") + place;
    }
  }

  static std::string path(const char* style, size_t unit, const std::string& drawing) {
    if (drawing.empty()) return "";
    return std::string("<path class=\"") + style + "\" data-unit=\"" + std::to_string(unit) +
           "\" d=\"" + drawing + "\"/>";
  }

  std::string grid(double height) const {
    std::string lines, texts;
    for (const double mark : axis_.marks()) {
      lines += "M" + axis_.place(mark) + " " + svg_number(kDotsTop) + "V" +
               svg_number(height - kDotsAxis);
      texts +=
          svg_text(axis_.at(mark), height - kDotsAxis + 18, "tick middle", axis_.mark_text(mark));
    }
    std::string zero;
    if (!rows_.empty() && rows_.front().paired != nullptr) {
      zero = "<path class=\"zero\" d=\"M" + axis_.place(0) + " " + svg_number(kDotsTop) + "V" +
             svg_number(height - kDotsAxis) + "\"/>";
    }
    return "<path class=\"grid\" d=\"" + lines + "\"/>" + zero + texts;
  }

  std::string label_of(size_t row) const {
    const std::string& name = comparison_.variants[rows_[row].variant].variant;
    return "<path class=\"line " + variant_style(variants_.place_of(name)) + "\" d=\"M4 " +
           svg_number(middle(row)) + "h22\"/>" +
           svg_text(32, middle(row) + 4, "name", shorten(printable(name), kVariantNameColumns));
  }

  /// The mean difference and its interval, under the dots.
  std::string interval_of(size_t row) const {
    const PairedComparison* paired = rows_[row].paired;
    if (paired == nullptr || !paired->mean.value) return "";
    const std::string y = svg_number(middle(row) + kCloud + 8);
    std::string svg;
    if (paired->mean_ci.value) {
      svg = "<path class=\"interval\" d=\"M" + axis_.place(paired->mean_ci.value->low) + " " + y +
            "H" + axis_.place(paired->mean_ci.value->high) + "\"/>";
    }
    return svg + "<path class=\"mean\" d=\"M" + axis_.place(*paired->mean.value) + " " + y +
           "h0\"/>";
  }

  const Comparison& comparison_;
  const PageVariants& variants_;
  std::vector<Row> rows_;
  SvgAxis axis_;
  std::map<UnitId, size_t> place_of_;
  std::vector<std::string> dots_, joins_;  // one per drawn unit
};

std::string figure_of(const std::string& title, const std::string& svg,
                      const std::string& caption) {
  return "<figure class=\"dot-plot\"><h3>" + title + "</h3><div class=\"plot scroll\">" + svg +
         "</div><figcaption>" + caption + "</figcaption></figure>\n";
}

/// "Smallest, mean and largest: full 0.1, 0.2, 0.3; …"
std::string values_in_words(const Comparison& comparison) {
  std::vector<std::string> words;
  for (const VariantComparison& variant : comparison.variants) {
    if (variant.values.empty()) {
      words.push_back(html_name(variant.variant) + " none");
      continue;
    }
    const auto [least, most] =
        std::minmax_element(variant.values.begin(), variant.values.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    words.push_back(html_name(variant.variant) + " " + number_for_people(least->second) + " to " +
                    number_for_people(most->second) + " (n\u00A0=\u00A0" +
                    std::to_string(variant.n) + ")");
  }
  return "From the smallest to the largest: " + list_of_some(words) + ".";
}

std::string differences_in_words(const Comparison& comparison) {
  std::vector<std::string> words, beyond;
  for (const VariantComparison& variant : comparison.variants) {
    if (!variant.paired) continue;
    int64_t above = 0, below = 0, infinite = 0;
    for (const auto& [unit, difference] : variant.paired->differences.ranked) {
      above += difference > 0 ? 1 : 0;
      below += difference < 0 ? 1 : 0;
      infinite += std::isinf(difference) ? 1 : 0;
    }
    const auto all = static_cast<int64_t>(variant.paired->differences.ranked.size());
    words.push_back(html_name(variant.variant) + " " + std::to_string(above) + " above, " +
                    std::to_string(below) + " below, " + std::to_string(all - above - below) +
                    " equal");
    if (infinite > 0)
      beyond.push_back(std::to_string(infinite) + " of " + html_name(variant.variant));
  }
  std::string text = "Pairs above and below zero: " + list_of_some(words) +
                     ". The bar is the 95 % interval of the mean.";
  if (!beyond.empty()) {
    text += " At the end of the axis, since one of the pair has no finite value: " +
            list_of_some(beyond) + ".";
  }
  return text;
}

std::string table_of(const Comparison& comparison, const std::vector<UnitId>& units) {
  std::string html = "<details class=\"units\"><summary>Every seed in numbers</summary>";
  if (units.size() > kMostListed) {
    html += "<p>The first " + std::to_string(kMostListed) + " of " + std::to_string(units.size()) +
            ".</p>";
  }
  html += scroll_begin("Table: every seed") + "<table><thead><tr><th scope=\"col\">seed</th>";
  for (const VariantComparison& variant : comparison.variants) {
    html += "<th scope=\"col\">" + html_name(variant.variant) + "</th>";
  }
  html += "</tr></thead><tbody>\n";
  for (size_t i = 0; i < std::min(units.size(), kMostListed); ++i) {
    html += "<tr data-unit=\"" + std::to_string(i) + "\"><th scope=\"row\">" +
            html_text(unit_name(units[i])) + "</th>";
    for (const VariantComparison& variant : comparison.variants) {
      const auto value = variant.values.find(units[i]);
      html += "<td>" + (value == variant.values.end() ? "–" : html_number(value->second)) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></details>\n";
}

}  // namespace

std::vector<double> swarm(const std::vector<double>& places, double width, double half_height) {
  std::vector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return places[a] < places[b]; });
  std::vector<double> beside(places.size(), 0);
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    ++end;
    while (end < order.size() && places[order[end]] < places[order[begin]] + width) ++end;
    const auto gaps = static_cast<double>(end - begin - 1);
    const double apart = gaps > 0 ? std::min(width, 2 * half_height / gaps) : 0;
    for (size_t i = begin; i < end; ++i) {
      beside[order[i]] = (static_cast<double>(i - begin) - gaps / 2) * apart;
    }
  }
  return beside;
}

std::string dots_html(const Comparison& comparison, const PageVariants& variants) {
  const std::vector<UnitId> units = units_of(comparison);
  std::vector<Row> values, differences;
  for (size_t i = 0; i < comparison.variants.size(); ++i) {
    const VariantComparison& variant = comparison.variants[i];
    values.push_back({i, &variant.values, nullptr});
    if (variant.paired)
      differences.push_back({i, &variant.paired->differences.ranked, &*variant.paired});
  }
  std::string html = "<div class=\"dot-plots\" data-units=\"" +
                     std::to_string(std::min(units.size(), kMostListed)) + "\">";
  if (units.size() > kMostDrawn) {
    html += "<p>The first " + std::to_string(kMostDrawn) + " of " + std::to_string(units.size()) +
            " seeds are drawn.</p>";
  }
  if (!differences.empty()) {
    const std::string title = "Differences to " + html_name(comparison.baseline);
    html += figure_of(title,
                      DotFigure(comparison, variants, differences, units)
                          .svg("Differences of each seed to " + comparison.baseline +
                                   "; in words below, in numbers in the table",
                               /*joined=*/false),
                      differences_in_words(comparison));
  }
  html += figure_of("Values, a seed's joined by a line",
                    DotFigure(comparison, variants, values, units)
                        .svg("Values of each seed in every variant; in words below, in numbers in "
                             "the table",
                             /*joined=*/true),
                    values_in_words(comparison));
  return html + table_of(comparison, units) + "</div>\n";
}

}  // namespace qkvlab
