#include "statistics/units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "statistics/ties.hpp"

namespace qkvlab {

namespace {

using State = UnitValue::State;

State state_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFinished:
      return State::kFinished;
    case Outcome::kDiverged:
      return State::kDiverged;
    case Outcome::kNotReached:
      return State::kNotReached;
    case Outcome::kUnfinished:
      break;
  }
  return State::kUnfinished;
}

/// Of several states of one seed the one that counts: what is known to be bad is so whatever else.
State worse(State left, State right) {
  for (const State state :
       {State::kDiverged, State::kNotReached, State::kUnfinished, State::kIncomplete}) {
    if (left == state || right == state) return state;
  }
  return State::kFinished;
}

double worst(bool higher_is_better) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return higher_is_better ? -kInfinity : kInfinity;
}

UnitValue mean_over(const Cells& of_seed, const std::vector<std::string>& cells) {
  UnitValue unit;
  for (const std::string& cell : cells) {
    const auto found = of_seed.find(cell);
    if (found == of_seed.end()) {
      unit.state = worse(unit.state, State::kIncomplete);
      continue;
    }
    unit.state = worse(unit.state, state_of(found->second->outcome));
    unit.value += found->second->value / static_cast<double>(cells.size());
  }
  return unit;
}

}  // namespace

std::vector<std::string> cells_of(const SeedCells& seeds) {
  std::set<std::string> cells;
  for (const auto& [seed, of_seed] : seeds) {
    for (const auto& [cell, observation] : of_seed) cells.insert(cell);
  }
  return {cells.begin(), cells.end()};
}

UnitValues unit_values(const SeedCells& seeds, const std::vector<std::string>& cells, Unit unit) {
  require(!cells.empty(), "a unit must have cells");
  UnitValues values;
  for (const auto& [seed, of_seed] : seeds) {
    if (unit == Unit::kSeed) {
      values[{seed, ""}] = mean_over(of_seed, cells);
      continue;
    }
    for (const std::string& cell : cells) {
      if (of_seed.count(cell) > 0) values[{seed, cell}] = mean_over(of_seed, {cell});
    }
  }
  return values;
}

std::vector<double> ranked_values(const UnitValues& units, std::optional<bool> higher_is_better) {
  std::vector<double> values;
  for (const auto& [id, unit] : units) {
    if (unit.is_finished()) {
      values.push_back(unit.value);
    } else if (unit.is_ranked() && higher_is_better) {
      values.push_back(worst(*higher_is_better));
    }
  }
  return values;
}

UnitDifferences unit_differences(const UnitValues& variant, const UnitValues& baseline,
                                 std::optional<bool> higher_is_better) {
  UnitDifferences differences;
  for (const auto& [id, unit] : variant) {
    const auto found = baseline.find(id);
    if (found == baseline.end() || !unit.is_ranked() || !found->second.is_ranked()) continue;
    const UnitValue& other = found->second;
    if (unit.is_finished() && other.is_finished()) {
      // Means over cells may differ by rounding alone.
      const double size = std::max(std::abs(unit.value), std::abs(other.value));
      const double difference = tied(unit.value, other.value, size) ? 0 : unit.value - other.value;
      differences.values_size = std::max(differences.values_size, size);
      differences.finished[id] = differences.ranked[id] = difference;
    } else if (higher_is_better) {
      const double bad = worst(*higher_is_better);
      const bool neither = !unit.is_finished() && !other.is_finished();
      differences.ranked[id] = neither ? 0 : unit.is_finished() ? -bad : bad;
    }
  }
  // Where no pair has a value, that both have none says nothing.
  const bool none = std::all_of(differences.ranked.begin(), differences.ranked.end(),
                                [](const auto& one) { return one.second == 0; });
  if (none && differences.finished.empty()) differences.ranked.clear();
  return differences;
}

}  // namespace qkvlab
