#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "statistics/figure.hpp"
#include "statistics/observation.hpp"
#include "statistics/sign_flip.hpp"
#include "statistics/welch.hpp"
#include "statistics/wilcoxon.hpp"

namespace qkvlab {

/// What is resampled, and counts as one: a seed, over whose cells values are averaged first, since
/// they share data and are not independent; or, where the user says so, each cell of a seed.
enum class Unit { kSeed, kCell };

/// A seed, or one cell of it; the cell is empty where the unit is the seed.
using UnitId = std::pair<int64_t, std::string>;

struct ComparisonChoice {
  std::string metric;    // how it is called, "test.loss at the end"
  std::string baseline;  // the name of a variant; empty: the first that was observed
  bool higher_is_better = false;
  Unit unit = Unit::kSeed;
  uint64_t seed = 0;  // of the bootstrap, and of sign flips where there are too many for all
};

/// Differences of a variant to the baseline (its value − the baseline's), paired by unit. A unit
/// that diverged in one of the two has an infinitely bad or good difference, 0 in both: means are
/// of the finite ones, what goes by rank (median, Wilcoxon, improvement) is of all.
struct PairedComparison {
  std::map<UnitId, double> differences;  // of the units that both have
  int64_t n = 0;                         // how many of them are finite
  Figure<double> mean, median;
  Figure<Interval> mean_ci, median_ci;  // 95 %
  Figure<SignFlip> sign_flip;
  Figure<Wilcoxon> wilcoxon;
  Figure<double> d_z;
  Figure<double> p_improvement;  // the share of pairs in which the variant is better, ties half
  Figure<double> smallest_p;     // that a sign-flip test of n pairs can reach
  Figure<int64_t> seeds_for_80_percent_power;
};

struct VariantComparison {
  std::string variant;
  std::map<UnitId, double> values;                                        // of the finished units
  int64_t n = 0;                                                          // finished
  int64_t diverged = 0, not_reached = 0, unfinished = 0, incomplete = 0;  // units left out of n;
  // incomplete: without some of the cells that other units of the variant have
  Figure<double> mean, sd;              // of the finished units
  Figure<double> median, iqm;           // by rank: diverged and not reached are the worst
  Figure<Interval> mean_ci, median_ci;  // 95 %
  Figure<Interval> iqm_ci;              // BCa bootstrap
  // At most one of the two, and none for the baseline:
  std::optional<PairedComparison> paired;
  std::optional<Figure<Welch>> unpaired;  // and then why it is not paired
  std::string why_unpaired;
  Figure<double> p_holm;  // of the sign-flip or Welch tests of all variants
};

/// A table: variants against one baseline.
struct Comparison {
  std::string metric;
  std::string group;  // the value of the field that tables are made by; often empty
  std::string baseline;
  bool higher_is_better = false;
  Unit unit = Unit::kSeed;
  std::vector<std::string> cells;  // what was averaged within a seed; one, empty, where nothing was
  std::vector<VariantComparison> variants;  // in the order in which they were observed
  std::vector<std::string> warnings;        // plain sentences on what was left out, and why
};

/// Compares variants, in a table for each group of the observations. Throws UserError where the
/// baseline is no variant, or two observations are of the same variant, seed and cell.
std::vector<Comparison> compare(const std::vector<Observation>& observations,
                                const ComparisonChoice& choice);

}  // namespace qkvlab
