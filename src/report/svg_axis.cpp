#include "report/svg_axis.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "report/page_text.hpp"

namespace qkvlab {

SvgAxis::SvgAxis(const std::vector<double>& values, double from, double to, bool linear)
    : from_(from), to_(to) {
  constexpr int64_t kMarks = 6;
  double low = 0, high = 1;
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  const bool logarithmic = !linear && any && low > 0 && high >= kWide * low;
  axis_ = logarithmic ? logarithmic_axis(low, high, kMarks) : linear_axis(low, high, kMarks);
}

double SvgAxis::at(double value) const {
  const bool has_place = !axis_.logarithmic || value > axis_.low;
  const double share = has_place ? std::clamp(axis_.place(value), 0.0, 1.0) : 0;
  return from_ + share * (to_ - from_);
}

std::string SvgAxis::place(double value) const { return svg_number(at(value)); }

std::string SvgAxis::mark_text(double mark) const { return with_true_minus(axis_.text(mark)); }

std::string svg_number(double value) {
  std::string text = fixed(value, 1);
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text;
}

std::string svg_text(double x, double y, std::string_view style, std::string_view text) {
  return "<text class=\"" + std::string(style) + "\" x=\"" + svg_number(x) + "\" y=\"" +
         svg_number(y) + "\">" + html_text(text) + "</text>";
}

std::string svg_begin(double width, double height, std::string_view label) {
  return "<svg viewBox=\"0 0 " + svg_number(width) + " " + svg_number(height) +
         "\" role=\"img\" aria-label=\"" + html_text(label) + "\">";
}

}  // namespace qkvlab
