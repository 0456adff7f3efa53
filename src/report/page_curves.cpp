#include "report/page_curves.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "report/page_text.hpp"
#include "report/page_variants.hpp"
#include "report/svg_axis.hpp"

namespace qkvlab {

namespace {

constexpr double kCurvesWidth = 480, kCurvesHeight = 260, kCurvesLeft = 62, kCurvesRight = 16,
                 kCurvesTop = 10, kCurvesBottom = 34;
constexpr size_t kPointsOnPaper = 360, kPointsOnScreen = 1200;

/// Which ends of intervals an axis has room for.
enum class Ends { kNone, kUpper, kBoth };

/// Of every mean, and of such ends of its interval where it has one.
std::vector<double> heights_of(const CurveFigure& figure, Ends ends) {
  std::vector<double> heights;
  for (const CurveFigure::Line& line : figure.lines) {
    for (const CurvePoint& point : line.curve) {
      if (point.mean) heights.push_back(*point.mean);
      if (!point.band) continue;
      if (ends != Ends::kNone) heights.push_back(point.band->high);
      if (ends == Ends::kBoth) heights.push_back(point.band->low);
    }
  }
  return heights;
}

/// The same figure, of few enough points to be drawn.
CurveFigure thinned(CurveFigure figure, size_t most) {
  std::vector<Curve> curves;
  for (const CurveFigure::Line& line : figure.lines) curves.push_back(line.curve);
  curves = thin_together(curves, most);
  for (size_t i = 0; i < curves.size(); ++i) figure.lines[i].curve = std::move(curves[i]);
  return figure;
}

SvgAxis height_axis(const CurveFigure& figure) {
  // An interval that reaches below zero does not forbid a logarithmic axis: it ends there.
  const bool linear = !is_logarithmic(figure);
  return {heights_of(figure, linear ? Ends::kBoth : Ends::kUpper), kCurvesHeight - kCurvesBottom,
          kCurvesTop, linear};
}

SvgAxis step_axis(const CurveFigure& figure) {
  std::vector<double> steps;
  for (const CurveFigure::Line& line : figure.lines) {
    for (const CurvePoint& point : line.curve) steps.push_back(static_cast<double>(point.step));
  }
  return {steps, kCurvesLeft, kCurvesWidth - kCurvesRight, /*linear=*/true};
}

std::string grid_of(const SvgAxis& steps, const SvgAxis& heights) {
  std::string lines, texts;
  for (const double mark : heights.marks()) {
    const std::string y = heights.place(mark);
    lines +=
        "M" + svg_number(kCurvesLeft) + " " + y + "H" + svg_number(kCurvesWidth - kCurvesRight);
    texts += svg_text(kCurvesLeft - 8, heights.at(mark) + 4, "tick end", heights.mark_text(mark));
  }
  for (const double mark : steps.marks()) {
    if (mark < 0 || mark != std::floor(mark)) continue;
    texts += svg_text(steps.at(mark), kCurvesHeight - kCurvesBottom + 18, "tick middle",
                      steps.mark_text(mark));
  }
  texts += svg_text(kCurvesWidth - kCurvesRight, kCurvesHeight - 2, "tick end", "step");
  return "<path class=\"grid\" d=\"" + lines + "\"/>" + texts;
}

/// The stretches of a curve without gaps: between them are steps at which nothing is finite.
std::vector<Curve> stretches_of(const Curve& curve) {
  std::vector<Curve> stretches(1);
  for (const CurvePoint& point : curve) {
    if (point.mean) {
      stretches.back().push_back(point);
    } else if (!stretches.back().empty()) {
      stretches.emplace_back();
    }
  }
  if (stretches.back().empty()) stretches.pop_back();
  return stretches;
}

std::string drawing_of(const CurveFigure::Line& line, const SvgAxis& steps,
                       const SvgAxis& heights) {
  std::string mean, band, points;
  for (const Curve& stretch : stretches_of(line.curve)) {
    std::string upper, lower;
    for (const CurvePoint& point : stretch) {
      const std::string x = steps.place(static_cast<double>(point.step));
      mean += (&point == &stretch.front() ? "M" : "L") + x + " " + heights.place(*point.mean);
      // A line of no length is not seen.
      if (stretch.size() == 1) points += "M" + x + " " + heights.place(*point.mean) + "h0";
      const Interval ends = point.band.value_or(Interval{*point.mean, *point.mean});
      upper += (upper.empty() ? "M" : "L") + x + " " + heights.place(ends.high);
      lower.insert(0, "L" + x + " " + heights.place(ends.low));
    }
    band += upper + lower + "Z";
  }
  const std::string style = variant_style(line.style);
  return "<path class=\"band " + style + "\" d=\"" + band + "\"/><path class=\"line " + style +
         "\" d=\"" + mean + "\"/>" +
         (points.empty() ? "" : "<path class=\"point " + style + "\" d=\"" + points + "\"/>");
}

std::string value_and_interval(const CurvePoint& point) {
  if (!point.mean) return "none is finite";
  std::string text = html_number(*point.mean);
  if (point.band) {
    text += " <span class=\"interval\">[" + number_for_people(point.band->low, 3) + ", " +
            number_for_people(point.band->high, 3) + "]</span>";
  }
  return text;
}

/// Where the lines end, and what means leave out, in a sentence or two.
std::string words_of(const CurveFigure& figure) {
  std::vector<std::string> ends, broken;
  for (const CurveFigure::Line& line : figure.lines) {
    const CurvePoint& last = line.curve.back();
    ends.push_back(html_name(line.variant) + " " + value_and_interval(last) + " at step " +
                   std::to_string(last.step) + " (n\u00A0=\u00A0" + std::to_string(last.n) + ")");
    int64_t most = 0;
    for (const CurvePoint& point : line.curve) most = std::max(most, point.not_finite);
    if (most > 0) broken.push_back(std::to_string(most) + " of " + html_name(line.variant));
  }
  std::string words = "At the end: " + list_of_some(ends) + ".";
  if (!broken.empty()) {
    words +=
        " Not finite at some step, and there left out of the mean: " + list_of_some(broken) + ".";
  }
  return words;
}

/// Some steps of the longest line, evenly apart, and what every line says there.
std::string table_of(const CurveFigure& figure) {
  constexpr size_t kRows = 10;
  const auto longest = std::max_element(
      figure.lines.begin(), figure.lines.end(),
      [](const auto& a, const auto& b) { return a.curve.size() < b.curve.size(); });
  const size_t count = longest->curve.size();
  std::set<size_t> rows;
  for (size_t row = 0; row < kRows; ++row) rows.insert(row * (count - 1) / (kRows - 1));
  std::string html = "<details><summary>Numbers</summary>" +
                     scroll_begin("Table: " + figure.title) +
                     "<table><thead><tr><th scope=\"col\">Step</th>";
  for (const auto& line : figure.lines) {
    html += "<th scope=\"col\">" + html_name(line.variant) + "</th>";
  }
  html += "</tr></thead><tbody>";
  for (const size_t row : rows) {
    const int64_t step = longest->curve[row].step;
    html += "<tr><th scope=\"row\">" + std::to_string(step) + "</th>";
    for (const auto& line : figure.lines) {
      const auto point =
          std::lower_bound(line.curve.begin(), line.curve.end(), step,
                           [](const CurvePoint& one, int64_t wanted) { return one.step < wanted; });
      const bool there = point != line.curve.end() && point->step == step;
      html += "<td>" + (there ? value_and_interval(*point) : "–") + "</td>";
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div></details>";
}

void append_compact(std::string& json, double value) { json += significant(value, 9); }

template <typename Value>
void append_list(std::string& json, const char* name, const Curve& curve, const Value& value) {
  json += std::string(",\"") + name + "\":[";
  for (const CurvePoint& point : curve) {
    if (&point != &curve.front()) json += ',';
    const std::optional<double> number = value(point);
    if (number) {
      append_compact(json, *number);
    } else {
      json += "null";
    }
  }
  json += ']';
}

}  // namespace

bool is_logarithmic(const CurveFigure& figure) {
  return SvgAxis(heights_of(figure, Ends::kNone), 0, 1).logarithmic();
}

std::string curve_html(const CurveFigure& figure, size_t index) {
  const CurveFigure drawn = thinned(figure, kPointsOnPaper);
  const SvgAxis steps = step_axis(drawn), heights = height_axis(drawn);
  std::string svg = svg_begin(kCurvesWidth, kCurvesHeight,
                              figure.title + " over training steps; in words below") +
                    grid_of(steps, heights);
  for (const CurveFigure::Line& line : drawn.lines) svg += drawing_of(line, steps, heights);
  return "<figure class=\"curve\" data-curve=\"" + std::to_string(index) + "\"><h3>" +
         html_text(figure.title) + " <code>" + html_text(figure.metric) +
         "</code></h3><div class=\"plot\">" + svg + "</svg></div><figcaption>" +
         (heights.logarithmic() ? "Logarithmic axis. " : "") + words_of(figure) + "</figcaption>" +
         table_of(figure) + "</figure>\n";
}

std::string curve_data(const std::vector<CurveFigure>& figures) {
  std::string json = "[";
  for (const CurveFigure& whole : figures) {
    const CurveFigure figure = thinned(whole, kPointsOnScreen);
    json += &whole == &figures.front() ? "{\"title\":" : ",\n{\"title\":";
    append_json_string(json, printable(figure.title));
    json += std::string(",\"logarithmic\":") + (is_logarithmic(figure) ? "true" : "false");
    json += ",\"lines\":[";
    for (const CurveFigure::Line& line : figure.lines) {
      const Curve& curve = line.curve;
      json += &line == &figure.lines.front() ? "{\"variant\":" : ",{\"variant\":";
      append_json_string(json, printable(line.variant));
      json += ",\"style\":" + std::to_string(line.style) + ",\"steps\":[";
      for (const CurvePoint& point : curve) {
        if (&point != &curve.front()) json += ',';
        json += std::to_string(point.step);
      }
      json += ']';
      append_list(json, "mean", curve, [](const CurvePoint& point) { return point.mean; });
      append_list(json, "low", curve, [](const CurvePoint& point) {
        return point.band ? std::optional<double>(point.band->low) : point.mean;
      });
      append_list(json, "high", curve, [](const CurvePoint& point) {
        return point.band ? std::optional<double>(point.band->high) : point.mean;
      });
      json += '}';
    }
    json += "]}";
  }
  return json + "]";
}

}  // namespace qkvlab
