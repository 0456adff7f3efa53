#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "config/ablation_config.hpp"

namespace qkvlab {

/// A cell of an ablation's grid by number: of each axis, in their order, which value it has.
using CellNumbers = std::vector<size_t>;

/// All cells, the last axis changing first; one without values where there is no grid.
std::vector<CellNumbers> cells_of(const std::vector<GridAxis>& grid);

/// A cell of a grid as records hold it: of each axis, in their order, its path and its value as
/// JSON; nothing where there is no grid.
using Cell = std::vector<std::pair<std::string, std::string>>;

Cell cell_of(const std::vector<GridAxis>& grid, const CellNumbers& numbers);

/// The value of an axis as people read it: a string without its quotes.
std::string cell_value_text(const std::string& json);

/// A variant with its cell as people read it: "uniform model.n_layers=1,model.norm=post". It is
/// printed, never read: two variants in their cells may be called the same.
std::string name_in_cell(const std::string& variant, const Cell& cell);

}  // namespace qkvlab
