#pragma once

#include <cmath>

namespace qkvlab {

/// What two numbers may differ by and count as equal, relative to the size of what they are made
/// of.
///
/// Differences that are equal by hand, 0.95 − 0.93 and 0.87 − 0.85, are not equal as doubles: each
/// value carries 1e-16 of itself, so a difference a hundred-thousandth of the values in size (one
/// example of 100,000) carries 1e-11 of itself. What truly differs does so by more: values are
/// float32 results, 6e-8 apart, or shares of counts.
constexpr double kTieTolerance = 1e-10;

/// Whether `a` and `b` are equal but for rounding, `size` being the magnitude of what they were
/// computed from. Infinite numbers are tied where they are equal.
inline bool tied(double a, double b, double size) {
  return a == b || (std::isfinite(size) && std::abs(a - b) <= kTieTolerance * size);
}

}  // namespace qkvlab
