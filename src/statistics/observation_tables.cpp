#include "statistics/observation_tables.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_difference.hpp"

namespace qkvlab {

namespace {

[[noreturn]] void refuse_duplicate(const Observation& first, const Observation& second) {
  std::string difference =
      first.run == nullptr ? "; --cell-columns can name the columns that tell its lines apart" : "";
  if (first.run != nullptr && second.run != nullptr) {
    const auto found =
        first_difference(parse_json(first.run->begin.config, first.place),
                         parse_json(second.run->begin.config, second.place), "there", "here");
    if (found) {
      difference = "; " + *found + " (--by or --variant-column can tell them apart by a field)";
    }
  }
  throw UserError(second.place + ": seed " + std::to_string(second.seed) + " of '" +
                  second.variant + "'" + (second.cell.empty() ? "" : " in " + second.cell) +
                  " is recorded twice, first in " + first.place + difference);
}

}  // namespace

std::vector<std::pair<std::string, ObservationTable>> tables_of(
    const std::vector<Observation>& observations) {
  std::vector<std::pair<std::string, ObservationTable>> tables;
  for (const Observation& observation : observations) {
    auto table = std::find_if(tables.begin(), tables.end(),
                              [&](const auto& one) { return one.first == observation.group; });
    if (table == tables.end()) {
      tables.emplace_back(observation.group, ObservationTable());
      table = tables.end() - 1;
    }
    auto& cells = table->second.cells;
    if (cells.count(observation.variant) == 0) {
      table->second.variants.push_back(observation.variant);
    }
    const auto [known, is_new] =
        cells[observation.variant][observation.seed].emplace(observation.cell, &observation);
    if (!is_new) refuse_duplicate(*known->second, observation);
  }
  return tables;
}

}  // namespace qkvlab
