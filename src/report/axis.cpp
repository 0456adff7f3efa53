#include "report/axis.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/number_text.hpp"

namespace qkvlab {

namespace {

constexpr double kRounding = 1e-9;  // of quotients that should be whole numbers

/// The next of 1, 2 or 5 times a power of ten at or above `value` > 0.
double round_step(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value <= factor * decade * (1 + kRounding)) return factor * decade;
  }
  return 10 * decade;
}

/// A range that is not empty.
void widen(double& low, double& high) {
  const double least = 1e-6 * std::max(std::abs(low), std::abs(high));
  if (high - low > least) return;
  const double margin = low == 0 && high == 0 ? 1 : 0.1 * std::max(std::abs(low), std::abs(high));
  low -= margin;
  high += margin;
}

double step_of(double low, double high, int64_t marks) {
  return round_step((high - low) / static_cast<double>(std::max<int64_t>(marks - 1, 1)));
}

/// An axis marked at the multiples of `step`.
Axis axis_of(double low, double high, double step) {
  Axis axis;
  axis.low = low;
  axis.high = high;
  const double first = std::ceil(low / step - kRounding) + 0.0;  // not -0
  for (double i = first; i * step <= high + kRounding * step; ++i) {
    axis.marks.push_back(i * step);
  }
  return axis;
}

/// 1, 2 and 5 times powers of ten from the last at or below `low` to the first at or above `high`.
std::vector<double> one_two_five(double low, double high) {
  std::vector<double> marks;
  for (double exponent = std::floor(std::log10(low));; ++exponent) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double mark = factor * std::pow(10, exponent);
      if (mark <= low * (1 + kRounding)) marks.clear();
      marks.push_back(mark);
      if (mark >= high * (1 - kRounding)) return marks;
    }
  }
}

bool is_power_of_ten(double mark) {
  const double exponent = std::log10(mark);
  return std::abs(exponent - std::round(exponent)) < kRounding;
}

}  // namespace

double Axis::place(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

std::string Axis::text(double mark) const {
  constexpr double kMost = 1e6, kLeast = 1e-4, kMostInFull = 1e15;
  constexpr int kDigits = 4;
  if (logarithmic) return significant(mark, kDigits);
  const double step = marks.size() > 1 ? marks[1] - marks[0] : high - low;
  const double largest = std::max(std::abs(low), std::abs(high));
  // What tells the largest mark from the one before it.
  const int digits = static_cast<int>(std::ceil(std::log10(largest / step) - kRounding)) + 1;
  const bool plain = largest < kMost && step >= kLeast;
  if (!plain && (digits <= kDigits || largest >= kMostInFull)) {
    return significant(mark, std::max(digits, kDigits));
  }
  return fixed(mark, std::max(0, -static_cast<int>(std::floor(std::log10(step) + kRounding))));
}

Axis exact_axis(double low, double high, int64_t marks) {
  widen(low, high);
  return axis_of(low, high, step_of(low, high, marks));
}

Axis linear_axis(double low, double high, int64_t marks) {
  widen(low, high);
  const double step = step_of(low, high, marks);
  return axis_of(std::floor(low / step + kRounding) * step,
                 std::ceil(high / step - kRounding) * step, step);
}

Axis logarithmic_axis(double low, double high, int64_t marks) {
  require(low > 0 && high >= low, "a logarithmic axis is of positive numbers");
  if (high < low * (1 + 1e-6)) {
    low /= 2;
    high *= 2;
  }
  Axis axis;
  axis.logarithmic = true;
  axis.marks = one_two_five(low, high);
  axis.low = axis.marks.front();
  axis.high = axis.marks.back();
  if (static_cast<int64_t>(axis.marks.size()) <= marks) return axis;
  const auto other = [](double mark) { return !is_power_of_ten(mark); };
  axis.marks.erase(std::remove_if(axis.marks.begin(), axis.marks.end(), other), axis.marks.end());
  const auto count = static_cast<int64_t>(axis.marks.size());
  const int64_t every = (count + marks - 1) / std::max<int64_t>(marks, 1);
  std::vector<double> kept;
  for (int64_t i = 0; i < count; i += every) kept.push_back(axis.marks[i]);
  axis.marks = kept;
  return axis;
}

}  // namespace qkvlab
