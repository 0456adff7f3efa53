#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/records.hpp"
#include "report/text_style.hpp"
#include "report/weight_grid.hpp"

namespace qkvlab {

/// The room that one attention map has.
struct MapRoom {
  size_t columns = 80;  // that leave another map its place beside it
  size_t at_most = 80;  // columns; taken where otherwise a cell would have to be of several weights
  size_t lines = 24;
};

/// How an attention map is drawn.
struct MapLayout {
  WeightGrid grid;
  bool has_numbers = false;          // cells name their weights
  size_t cell_columns = 1;           // of one cell
  int64_t rows_to_line = 1;          // 2: half-blocks
  std::vector<std::string> keys;     // what stands above the columns; none: numbers
  std::vector<std::string> queries;  // what stands before each line
  bool names_tokens = false;         // beside the queries

  size_t label_columns() const;
  size_t columns() const;  // of all of it
};

/// The largest layout that there is room for, see heat_map. Of a map that is not empty.
MapLayout map_layout(const AttentionRecord& map, const TextStyle& style, const MapRoom& room);

}  // namespace qkvlab
