#include "config/ablation_cells.hpp"

#include "base/json.hpp"

namespace qkvlab {

std::vector<CellNumbers> cells_of(const std::vector<GridAxis>& grid) {
  std::vector<CellNumbers> cells = {{}};
  for (const GridAxis& axis : grid) {
    std::vector<CellNumbers> longer;
    for (const CellNumbers& cell : cells) {
      for (size_t i = 0; i < axis.values.size(); ++i) {
        longer.push_back(cell);
        longer.back().push_back(i);
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

Cell cell_of(const std::vector<GridAxis>& grid, const CellNumbers& numbers) {
  Cell cell;
  for (size_t i = 0; i < numbers.size(); ++i) {
    cell.emplace_back(grid[i].path, grid[i].values[numbers[i]]);
  }
  return cell;
}

std::string cell_value_text(const std::string& json) {
  if (json.empty() || json.front() != '"') return json;
  return parse_json(json, "cell", kNoLines).string();
}

std::string name_in_cell(const std::string& variant, const Cell& cell) {
  std::string name = variant;
  const char* separator = " ";
  for (const auto& [path, value] : cell) {
    name += separator + path + "=" + cell_value_text(value);
    separator = ",";
  }
  return name;
}

}  // namespace qkvlab
