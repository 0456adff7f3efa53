#pragma once

#include <cstdint>
#include <string>

#include "report/painter.hpp"
#include "report/text_block.hpp"
#include "report/text_style.hpp"

namespace qkvlab {

/// How a cell of an attention map looks.
struct CellLook {
  std::string glyph;           // one column
  Colour background = kPlain;  // of the cell
  Colour foreground = kPlain;  // of text within it
};

/// How weights look, the same in all maps that stand together. Levels divide (0, top] evenly; a
/// weight of exactly zero, as of what a mask hides, has a look of its own.
class WeightScale {
 public:
  /// `largest`: the largest weight to be shown; the scale ends at the next of 1, 2 or 5 times a
  /// power of ten.
  WeightScale(double largest, const TextStyle& style);

  double top() const { return top_; }
  CellLook of_weight(double weight) const;  // finite
  CellLook of_nothing() const;              // of a query that attends to nothing
  CellLook of_not_finite() const;

  /// The looks in a row, and beneath the numbers where they begin; of a narrow screen every other.
  TextBlock legend() const;

 private:
  int64_t levels() const;
  CellLook of_level(int64_t level) const;

  double top_;
  TextStyle style_;
};

}  // namespace qkvlab
