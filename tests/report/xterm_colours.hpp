#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "report/painter.hpp"

namespace qkvlab {

using Rgb = std::array<double, 3>;

/// The red, green and blue of xterm's colours 16 to 255, from 0 to 1: a cube of six levels, and
/// greys.
inline Rgb rgb_of(Colour colour) {
  if (colour >= 232) {
    const double grey = (8 + 10 * (colour - 232)) / 255.0;
    return {grey, grey, grey};
  }
  constexpr std::array<int, 6> kLevels = {0, 95, 135, 175, 215, 255};
  const int at = colour - 16;
  return {kLevels[at / 36] / 255.0, kLevels[at / 6 % 6] / 255.0, kLevels[at % 6] / 255.0};
}

inline double linear(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

inline double luminance(const Rgb& rgb) {
  return 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
}

/// The contrast of two colours, from 1 to 21 (WCAG 2).
inline double contrast(const Rgb& one, const Rgb& other) {
  const auto [dark, light] = std::minmax({luminance(one), luminance(other)});
  return (light + 0.05) / (dark + 0.05);
}

}  // namespace qkvlab
