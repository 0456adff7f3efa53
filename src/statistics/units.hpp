#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "statistics/observation.hpp"

namespace qkvlab {

/// What is resampled, and counts as one: a seed, over whose cells values are averaged first, since
/// they share data and are not independent; or, where the user says so, each cell of a seed.
enum class Unit { kSeed, kCell };

/// A seed, or one cell of it; the cell is empty where the unit is the seed.
using UnitId = std::pair<int64_t, std::string>;

/// The observations of one variant: of each seed its cells, none twice.
using Cells = std::map<std::string, const Observation*>;
using SeedCells = std::map<int64_t, Cells>;

/// A unit's value, the mean over its cells; or why it has none.
struct UnitValue {
  enum class State { kFinished, kDiverged, kNotReached, kUnfinished, kIncomplete };
  State state = State::kFinished;
  double value = 0;  // where finished

  bool is_finished() const { return state == State::kFinished; }
  /// Whether it has a rank: its value, or the worst.
  bool is_ranked() const { return state != State::kUnfinished && state != State::kIncomplete; }
};
using UnitValues = std::map<UnitId, UnitValue>;

/// Every cell that some seed of a variant has.
std::vector<std::string> cells_of(const SeedCells& seeds);

/// The units of a variant and their values. Where the unit is the seed it is the mean over `cells`,
/// at least one (checked); a seed that lacks one of them is incomplete, and one with a cell that
/// diverged has diverged.
UnitValues unit_values(const SeedCells& seeds, const std::vector<std::string>& cells, Unit unit);

/// The values of units with those that have none in the worst place, ±infinity; these are left out
/// where it is not known which values are better.
std::vector<double> ranked_values(const UnitValues& units, std::optional<bool> higher_is_better);

/// Differences `variant` − `baseline` of the units that have a rank in both.
struct UnitDifferences {
  std::map<UnitId, double> finished;  // of those with two values; 0 where these are tied
  std::map<UnitId, double> ranked;    // those, and the others: infinitely bad where the variant has
                                      // no value, infinitely good where the baseline has none, 0
                                      // where neither has; empty where no pair has a value, and
                                      // left out as in ranked_values
  double values_size = 0;             // the largest magnitude of the values
};
UnitDifferences unit_differences(const UnitValues& variant, const UnitValues& baseline,
                                 std::optional<bool> higher_is_better);

}  // namespace qkvlab
