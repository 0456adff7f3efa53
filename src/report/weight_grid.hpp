#pragma once

#include <cstdint>
#include <vector>

#include "record/records.hpp"

namespace qkvlab {

/// The weights of an attention map, several to a cell where there are more than fit.
struct WeightGrid {
  enum class Kind : char { kWeight, kNothing, kNotFinite };
  struct Cell {
    double weight = 0;          // the mean of its weights
    Kind kind = Kind::kWeight;  // kNothing: its queries attend to nothing, all their weights are 0
  };

  int64_t rows = 0, columns = 0;
  int64_t pooled = 1;       // a cell is of pooled × pooled weights, at the ends perhaps of fewer
  std::vector<Cell> cells;  // row-major [rows, columns]

  const Cell& at(int64_t row, int64_t column) const { return cells[row * columns + column]; }
};

/// A grid of at most so many rows and columns (each at least 1, checked).
WeightGrid weight_grid(const AttentionRecord& map, int64_t max_rows, int64_t max_columns);

/// How many queries attend to nothing, and how many weights are not finite.
int64_t queries_of_nothing(const AttentionRecord& map);
int64_t weights_not_finite(const AttentionRecord& map);

/// The largest finite weight; 0 where there is none.
double largest_weight(const AttentionRecord& map);

}  // namespace qkvlab
