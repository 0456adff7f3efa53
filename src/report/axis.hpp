#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qkvlab {

/// The range of a picture's axis and the numbers that stand beside it.
struct Axis {
  double low = 0, high = 1;   // low < high
  bool logarithmic = false;   // then both are positive
  std::vector<double> marks;  // ascending, within the range

  /// Where a value lies: 0 at the low end, 1 at the high end, beyond them outside.
  double place(double value) const;
  /// A mark in as few digits as tell it from the others.
  std::string text(double mark) const;
};

/// An axis from a mark at or below `low` to one at or above `high` (finite), with about `marks`
/// marks at equal distances of 1, 2 or 5 times a power of ten.
Axis linear_axis(double low, double high, int64_t marks);

/// The same, from `low` to `high` themselves, with the marks between.
Axis exact_axis(double low, double high, int64_t marks);

/// An axis by powers, of `low` > 0 (checked): marks at 1, 2 and 5 times powers of ten where no more
/// than `marks` are, else at powers of ten, all or each so many.
Axis logarithmic_axis(double low, double high, int64_t marks);

}  // namespace qkvlab
