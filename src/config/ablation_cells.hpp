#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/ablation_config.hpp"

namespace qkvlab {

/// A cell of an ablation's grid: of each axis, in their order, which value it has.
using GridCell = std::vector<size_t>;

/// All cells, the last axis changing first; one without values where there is no grid.
std::vector<GridCell> cells_of(const std::vector<GridAxis>& grid);

/// What a cell adds to the names of variants: " model.n_layers=1,model.norm=post"; nothing where
/// there is no grid.
std::string cell_suffix(const std::vector<GridAxis>& grid, const GridCell& cell);

}  // namespace qkvlab
