#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "statistics/units.hpp"

namespace qkvlab {

/// The observations of one table.
struct ObservationTable {
  std::vector<std::string> variants;  // in the order in which they were observed
  std::map<std::string, SeedCells> cells;
};

/// The tables of observations by their group, in the order in which groups were observed.
/// Observations must outlive them. Throws UserError where two are of the same variant, seed and
/// cell.
std::vector<std::pair<std::string, ObservationTable>> tables_of(
    const std::vector<Observation>& observations);

}  // namespace qkvlab
