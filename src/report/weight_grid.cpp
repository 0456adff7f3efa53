#include "report/weight_grid.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace qkvlab {

namespace {

bool attends_to_nothing(const AttentionRecord& map, int64_t query) {
  const auto begin = map.weights.begin() + query * map.keys;
  return std::all_of(begin, begin + map.keys, [](float weight) { return weight == 0; });
}

int64_t parts(int64_t count, int64_t size) { return (count + size - 1) / size; }

}  // namespace

WeightGrid weight_grid(const AttentionRecord& map, int64_t max_rows, int64_t max_columns) {
  require(max_rows > 0 && max_columns > 0, "a grid has room for one cell at least");
  WeightGrid grid;
  grid.pooled = std::max<int64_t>({1, parts(map.queries, max_rows), parts(map.keys, max_columns)});
  grid.rows = parts(map.queries, grid.pooled);
  grid.columns = parts(map.keys, grid.pooled);
  grid.cells.resize(grid.rows * grid.columns);
  std::vector<double> sums(grid.columns);
  std::vector<int64_t> counts(grid.columns);
  for (int64_t row = 0; row < grid.rows; ++row) {
    const int64_t begin = row * grid.pooled, end = std::min(map.queries, begin + grid.pooled);
    std::fill(sums.begin(), sums.end(), 0);
    std::fill(counts.begin(), counts.end(), 0);
    bool all_nothing = true;
    for (int64_t query = begin; query < end; ++query) {
      all_nothing = all_nothing && attends_to_nothing(map, query);
      for (int64_t key = 0; key < map.keys; ++key) {
        sums[key / grid.pooled] += map.weights[query * map.keys + key];
        ++counts[key / grid.pooled];
      }
    }
    for (int64_t column = 0; column < grid.columns; ++column) {
      WeightGrid::Cell& cell = grid.cells[row * grid.columns + column];
      cell.weight = sums[column] / static_cast<double>(counts[column]);
      if (!std::isfinite(cell.weight)) cell.kind = WeightGrid::Kind::kNotFinite;
      if (all_nothing) cell.kind = WeightGrid::Kind::kNothing;
    }
  }
  return grid;
}

int64_t queries_of_nothing(const AttentionRecord& map) {
  int64_t count = 0;
  for (int64_t query = 0; query < map.queries; ++query) count += attends_to_nothing(map, query);
  return count;
}

int64_t weights_not_finite(const AttentionRecord& map) {
  return std::count_if(map.weights.begin(), map.weights.end(),
                       [](float weight) { return !std::isfinite(weight); });
}

double largest_weight(const AttentionRecord& map) {
  float largest = 0;
  for (const float weight : map.weights) {
    if (std::isfinite(weight)) largest = std::max(largest, weight);
  }
  return largest;
}

}  // namespace qkvlab
