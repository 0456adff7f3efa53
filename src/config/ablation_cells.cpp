#include "config/ablation_cells.hpp"

#include <utility>

#include "base/json.hpp"

namespace qkvlab {

std::vector<GridCell> cells_of(const std::vector<GridAxis>& grid) {
  std::vector<GridCell> cells = {{}};
  for (const GridAxis& axis : grid) {
    std::vector<GridCell> longer;
    for (const GridCell& cell : cells) {
      for (size_t i = 0; i < axis.values.size(); ++i) {
        longer.push_back(cell);
        longer.back().push_back(i);
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

std::string cell_suffix(const std::vector<GridAxis>& grid, const GridCell& cell) {
  std::string suffix;
  for (size_t i = 0; i < cell.size(); ++i) {
    const std::string& json = grid[i].values[cell[i]];
    const JsonValue value = parse_json(json, grid[i].path);
    const bool is_text = value.kind() == JsonValue::Kind::kString;
    suffix += (i == 0 ? " " : ",") + grid[i].path + "=" + (is_text ? value.string() : json);
  }
  return suffix;
}

}  // namespace qkvlab
