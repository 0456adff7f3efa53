#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/axis.hpp"

namespace qkvlab {

/// Where numbers stand along one direction of a figure.
class SvgAxis {
 public:
  /// From the smallest to the largest finite number of `values`, rounded outwards to marks, is
  /// drawn from `from` to `to` (user units; `to` may be the smaller). Logarithmic where all are
  /// positive and the largest is `kWide` times the smallest or more, unless `linear` is asked for.
  /// Without any finite number it is [0, 1].
  SvgAxis(const std::vector<double>& values, double from, double to, bool linear = false);

  static constexpr double kWide = 20;

  /// The place of a value; one that is beyond the axis (or not positive, on a logarithmic one)
  /// stands at its end.
  double at(double value) const;
  /// "123.4": that place with one decimal, as SVG's attributes want it.
  std::string place(double value) const;

  const std::vector<double>& marks() const { return axis_.marks; }
  std::string mark_text(double mark) const;
  bool logarithmic() const { return axis_.logarithmic; }

 private:
  Axis axis_;
  double from_, to_;
};

/// A number with at most one decimal: "12", "12.5".
std::string svg_number(double value);

/// An element <text>; `style` are its classes.
std::string svg_text(double x, double y, std::string_view style, std::string_view text);

/// The beginning of an <svg> of a figure that assistive technology takes as one image with this
/// label.
std::string svg_begin(double width, double height, std::string_view label);

}  // namespace qkvlab
