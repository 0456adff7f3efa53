#include "report/svg_axis.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "report/page_text.hpp"

namespace qkvlab {

namespace {

constexpr double kMostSteps = 5;

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

SvgAxis::SvgAxis(const std::vector<double>& values, double from, double to, bool linear)
    : from_(from), to_(to) {
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low_ = any ? std::min(low_, value) : value;
    high_ = any ? std::max(high_, value) : value;
    any = true;
  }
  logarithmic_ = !linear && any && low_ > 0 && high_ >= kWide * low_;
  if (logarithmic_) {
    choose_logarithmic_ticks();
  } else {
    choose_linear_ticks();
  }
}

void SvgAxis::choose_linear_ticks() {
  // A width that all values' own rounding could make up is none.
  const double width = high_ - low_;
  const double least = std::max(std::abs(low_), std::abs(high_)) * 1e-9;
  if (width <= least) {
    const double around = high_ == 0 ? 1 : std::abs(high_) / 10;
    low_ -= around;
    high_ += around;
  }
  const double step = round_step((high_ - low_) / kMostSteps);
  const double first = std::floor(low_ / step + 1e-9), last = std::ceil(high_ / step - 1e-9);
  const auto steps = static_cast<int>(last - first);
  for (int i = 0; i <= steps; ++i) ticks_.push_back((first + i) * step);
  low_ = ticks_.front();
  high_ = ticks_.back();
  decimals_ = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

void SvgAxis::choose_logarithmic_ticks() {
  const auto first = static_cast<int>(std::floor(std::log10(low_)));
  const auto last = static_cast<int>(std::ceil(std::log10(high_)));
  // Of many decades every other one, and so on, is written.
  constexpr int kMostDecades = 6;
  const int stride = std::max(1, (last - first + kMostDecades - 1) / kMostDecades);
  for (int power = first; power < last + stride; power += stride) {
    ticks_.push_back(std::pow(10, power));
  }
  low_ = ticks_.front();
  high_ = ticks_.back();
}

double SvgAxis::at(double value) const {
  double share = 0;
  if (logarithmic_) {
    share = value <= low_ ? 0 : std::log(value / low_) / std::log(high_ / low_);
  } else {
    share = (value - low_) / (high_ - low_);
  }
  return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
}

std::string SvgAxis::place(double value) const { return svg_number(at(value)); }

std::string SvgAxis::tick_text(double tick) const {
  constexpr int kMostDecimals = 4;
  const double largest = std::max(std::abs(low_), std::abs(high_));
  const bool plain = !logarithmic_ && decimals_ <= kMostDecimals && largest < 1e6;
  if (!plain) return number_for_people(tick, 3);
  return with_true_minus(fixed(tick, decimals_));
}

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
