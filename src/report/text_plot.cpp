#include "report/text_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "base/terminal.hpp"
#include "report/axis.hpp"
#include "report/painter.hpp"
#include "report/text_canvas.hpp"

namespace qkvlab {

namespace {

constexpr int64_t kValueMarks = 5;
constexpr size_t kColumnsToMark = 10;  // about so many columns of the axis of steps to one number

/// Blue, vermilion, green, purple, brown, sky and grey, after Okabe and Ito (Color Universal
/// Design, 2008): of xterm's cube those near them that stand out from black and from white.
constexpr std::array<Colour, 7> kLineColours = {32, 166, 29, 133, 136, 67, 244};

Colour colour_of(size_t line) { return kLineColours[line % kLineColours.size()]; }

/// What all points of a plot lie within.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_empty() const { return low > high; }
};

struct Extents {
  Extent steps, means, bands;
};

Extents extents_of(const Plot& plot) {
  Extents extents;
  for (const Plot::Line& line : plot.lines) {
    for (const CurvePoint& point : line.curve) {
      if (!point.mean) continue;
      extents.steps.take(static_cast<double>(point.step));
      extents.means.take(*point.mean);
      if (point.band) {
        extents.bands.take(point.band->low);
        extents.bands.take(point.band->high);
      }
    }
  }
  return extents;
}

Axis axis_of_values(const Extents& extents) {
  constexpr double kDecades = 100;
  const double low = extents.means.low, high = extents.means.high;
  if (low > 0 && high / low >= kDecades) return logarithmic_axis(low, high, kValueMarks);
  if (extents.bands.is_empty()) return linear_axis(low, high, kValueMarks);
  // Intervals of few seeds are wide: they take up half of the picture at most.
  const double most = (high - low) / 2;
  const double lowest = std::min(low, std::max(extents.bands.low, low - most));
  const double highest = std::max(high, std::min(extents.bands.high, high + most));
  return linear_axis(low >= 0 ? std::max(lowest, 0.0) : lowest, highest, kValueMarks);
}

/// A curve in the picture: its line, and its letter with a bar at some places.
class CurvePainter {
 public:
  CurvePainter(TextCanvas& canvas, const Axis& steps, const Axis& values)
      : canvas_(canvas), steps_(steps), values_(values) {}

  void draw_line(const Curve& curve, char letter, Colour colour) {
    CanvasPoint last{};
    bool is_joined = false;  // to the point before
    for (const CurvePoint& point : curve) {
      if (!point.mean) {
        is_joined = false;
        continue;
      }
      const CanvasPoint here = place_of(point);
      canvas_.draw(is_joined ? last : here, here, letter, colour);
      last = here;
      is_joined = true;
    }
  }

  void mark(const CurvePoint& point, char letter, Colour colour) {
    canvas_.mark(place_of(point), letter, colour);
  }

  void bar(const CurvePoint& point, Colour colour) {
    if (!point.band) return;
    const bool beyond = values_.logarithmic && point.band->low <= 0;
    canvas_.bar(place_of(point).x, beyond ? 0 : values_.place(point.band->low),
                values_.place(point.band->high), colour);
  }

 private:
  CanvasPoint place_of(const CurvePoint& point) const {
    return {steps_.place(static_cast<double>(point.step)), values_.place(*point.mean)};
  }

  TextCanvas& canvas_;
  const Axis& steps_;
  const Axis& values_;
};

/// The points nearest to `count` places of the axis of steps, which differ from curve to curve.
std::vector<CurvePoint> marked_points(const Curve& curve, const Axis& steps, size_t count,
                                      double offset) {
  std::vector<CurvePoint> marked;
  for (size_t i = 0; i < count; ++i) {
    const double part = (static_cast<double>(i) + offset) / static_cast<double>(count);
    const double step = steps.low + part * (steps.high - steps.low);
    const CurvePoint* nearest = nullptr;
    double distance = 0;
    for (const CurvePoint& point : curve) {
      const double to_here = std::abs(static_cast<double>(point.step) - step);
      if (!point.mean || (nearest != nullptr && to_here >= distance)) continue;
      nearest = &point;
      distance = to_here;
    }
    if (nearest != nullptr) marked.push_back(*nearest);
  }
  return marked;
}

void draw_curves(TextCanvas& canvas, size_t columns, const Plot& plot, const Axis& steps,
                 const Axis& values) {
  constexpr size_t kMostPointsToColumn = 8, kColumnsToLetter = 16;
  const size_t letters = std::max<size_t>(columns / kColumnsToLetter, 1);
  CurvePainter painter(canvas, steps, values);
  std::vector<Curve> curves;
  for (const auto& line : plot.lines) curves.push_back(line.curve);
  curves = thin_together(curves, kMostPointsToColumn * columns);
  std::vector<std::vector<CurvePoint>> marked;
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    const double offset = (static_cast<double>(i) + 0.5) / static_cast<double>(plot.lines.size());
    marked.push_back(marked_points(curves[i], steps, letters, offset));
  }
  // The first curve, mostly the baseline, lies on top.
  for (size_t i = curves.size(); i-- > 0;) {
    painter.draw_line(curves[i], letter_of_line(i), colour_of(i));
  }
  for (size_t i = curves.size(); i-- > 0;) {
    for (const CurvePoint& point : marked[i]) painter.bar(point, colour_of(i));
  }
  for (size_t i = curves.size(); i-- > 0;) {
    for (const CurvePoint& point : marked[i]) painter.mark(point, letter_of_line(i), colour_of(i));
  }
}

/// The axis of steps and the numbers beneath it.
std::pair<std::string, std::string> steps_text(const Axis& steps, size_t columns, bool ascii) {
  std::string marks, numbers;
  size_t drawn = 0;
  const auto draw_until = [&](size_t column) {
    for (; drawn < column; ++drawn) marks += ascii ? "-" : "─";
  };
  for (const double mark : steps.marks) {
    const auto at = static_cast<size_t>(steps.place(mark) * static_cast<double>(columns - 1));
    const std::string number = steps.text(mark);
    const size_t begin = std::min(at - std::min(at, number.size() / 2), columns - number.size());
    if (!numbers.empty() && begin <= numbers.size()) continue;
    numbers = pad_right(numbers, begin) + number;
    draw_until(at);
    marks += ascii ? "+" : "┬";
    ++drawn;
  }
  draw_until(columns);
  return {marks, numbers};
}

void add_picture(TextBlock& block, const Plot& plot, const Extents& extents, const Axis& values,
                 const PlotRoom& room, const TextStyle& style) {
  constexpr size_t kLeastColumns = 16;
  size_t margin = 0;
  for (const double mark : values.marks) margin = std::max(margin, values.text(mark).size());
  const size_t columns = std::max(room.columns, margin + 2 + kLeastColumns) - margin - 2;
  const double steps_count = extents.steps.high - extents.steps.low;
  const double step_marks = static_cast<double>(columns) / kColumnsToMark + 1;
  const Axis steps = exact_axis(extents.steps.low, extents.steps.high,
                                static_cast<int64_t>(std::min(step_marks, steps_count + 1)));
  TextCanvas canvas(columns, room.lines, style.ascii);
  draw_curves(canvas, columns, plot, steps, values);

  std::vector<std::string> numbers(room.lines);
  for (const double mark : values.marks) {
    numbers[canvas.line_of(values.place(mark))] = values.text(mark);
  }
  for (size_t line = 0; line < room.lines; ++line) {
    const bool marked = !numbers[line].empty();
    const std::string axis = style.ascii ? (marked ? "+" : "|") : (marked ? "┤" : "│");
    block.add(pad_left(numbers[line], margin) + " " + axis + canvas.line(line, style.colours),
              margin + 2 + columns);
  }
  const auto [marks, steps_numbers] = steps_text(steps, columns, style.ascii);
  block.add(std::string(margin + 1, ' ') + (style.ascii ? "+" : "└") + marks);
  block.add(std::string(margin + 2, ' ') + steps_numbers);
}

}  // namespace

char letter_of_line(size_t line) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return kLetters[line % kLetters.size()];
}

TextBlock text_plot(const Plot& plot, const PlotRoom& room, const TextStyle& style) {
  TextBlock block;
  const std::string title = printable(plot.title);
  const Extents extents = extents_of(plot);
  if (extents.steps.is_empty()) {
    block.add(title + ": no finite value");
  } else if (extents.steps.low == extents.steps.high) {
    block.add(title);
  } else {
    const Axis values = axis_of_values(extents);
    block.add(title + (values.logarithmic ? ", logarithmic" : ""));
    add_picture(block, plot, extents, values, room, style);
  }
  return block;
}

}  // namespace qkvlab
