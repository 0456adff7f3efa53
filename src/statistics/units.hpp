#pragma once

#include <map>
#include <string>
#include <vector>

#include "statistics/comparison.hpp"

namespace qkvlab {

/// The observations of one variant: of each seed its cells, none twice.
using Cells = std::map<std::string, const Observation*>;
using SeedCells = std::map<int64_t, Cells>;

/// A unit's value, the mean over its cells; or why it has none.
struct UnitValue {
  enum class State { kFinished, kDiverged, kNotReached, kUnfinished, kIncomplete };
  State state = State::kFinished;
  double value = 0;  // where finished

  /// Whether it has a rank: its value, or the worst.
  bool is_ranked() const { return state != State::kUnfinished && state != State::kIncomplete; }
};

/// Every cell that some seed of a variant has.
std::vector<std::string> cells_of(const SeedCells& seeds);

/// The units of a variant and their values. Where the unit is the seed it is the mean over `cells`;
/// a seed that lacks one of them is incomplete, and one with a cell that diverged has diverged.
std::map<UnitId, UnitValue> unit_values(const SeedCells& seeds,
                                        const std::vector<std::string>& cells, Unit unit);

/// Differences `variant` − `baseline` of the units that have a rank in both: of two values their
/// difference, 0 where they are tied; infinitely bad where the variant alone has none, infinitely
/// good where the baseline alone has none, else 0.
std::map<UnitId, double> unit_differences(const std::map<UnitId, UnitValue>& variant,
                                          const std::map<UnitId, UnitValue>& baseline,
                                          bool higher_is_better);

}  // namespace qkvlab
