#include "statistics/units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

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

std::map<UnitId, UnitValue> unit_values(const SeedCells& seeds,
                                        const std::vector<std::string>& cells, Unit unit) {
  std::map<UnitId, UnitValue> values;
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

std::map<UnitId, double> unit_differences(const std::map<UnitId, UnitValue>& variant,
                                          const std::map<UnitId, UnitValue>& baseline,
                                          bool higher_is_better) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double worst = higher_is_better ? -kInfinity : kInfinity;
  std::map<UnitId, double> differences;
  for (const auto& [id, value] : variant) {
    const auto found = baseline.find(id);
    if (found == baseline.end() || !value.is_ranked() || !found->second.is_ranked()) continue;
    const bool finished = value.state == State::kFinished;
    const bool baseline_finished = found->second.state == State::kFinished;
    double difference = 0;
    if (finished && baseline_finished) {
      const double left = value.value, right = found->second.value;
      // Means over cells may differ by rounding alone.
      const double size = std::max(std::abs(left), std::abs(right));
      difference = tied(left, right, size) ? 0 : left - right;
    } else if (finished != baseline_finished) {
      difference = finished ? -worst : worst;
    }
    differences[id] = difference;
  }
  return differences;
}

}  // namespace qkvlab
