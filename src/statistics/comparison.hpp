#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "statistics/figure.hpp"
#include "statistics/sign_flip.hpp"
#include "statistics/units.hpp"
#include "statistics/welch.hpp"
#include "statistics/wilcoxon.hpp"

namespace qkvlab {

struct ComparisonChoice {
  std::string metric;    // how it is called, "best test.loss"
  std::string by;        // the field whose values are groups of observations; often empty
  std::string baseline;  // the name of a variant; empty: the first that was observed
  std::optional<bool> higher_is_better;  // nothing: it is not known which values are better
  Unit unit = Unit::kSeed;
  uint64_t seed = 0;  // of the bootstrap, and of sign flips where there are too many for all
};

/// Differences of a variant to the baseline (its value − the baseline's), paired by unit. Means and
/// the sign-flip test are of the pairs that finished; what goes by rank (median, Wilcoxon's test,
/// the share of better pairs) counts those with a diverged run too, if it is known what is worse.
struct PairedComparison {
  UnitDifferences differences;
  int64_t n = 0;  // pairs that finished
  Figure<double> mean, median;
  Figure<Interval> mean_ci, median_ci;  // 95 %
  Figure<SignFlip> sign_flip;
  Figure<Wilcoxon> wilcoxon;
  Figure<double> d_z;
  Figure<double> p_improvement;  // the share of pairs in which the variant is better, ties half
  Figure<double> smallest_p;     // that the deciding test can reach with so many pairs
  Figure<int64_t> seeds_for_80_percent_power;

  /// Whether some pairs did not finish: then Wilcoxon's test decides, which counts them.
  bool is_decided_by_rank() const {
    return differences.ranked.size() > differences.finished.size();
  }
  /// The p of the test that decides.
  Figure<double> p() const;
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
  Figure<double> p_holm;  // of the deciding tests of all variants (of unpaired ones Welch's)

  /// The p of its test before Holm's adjustment.
  Figure<double> p() const;
};

/// A table: variants against one baseline.
struct Comparison {
  std::string metric;
  std::string by, group;  // the field that tables are made by, and its value; often empty
  std::string baseline;   // none of the variants where the table lacks it: then nothing is compared
  std::optional<bool> higher_is_better;
  Unit unit = Unit::kSeed;
  std::vector<std::string> cells;  // what was averaged within a seed; empty where nothing was
  std::vector<VariantComparison> variants;  // in the order in which they were observed
  std::vector<std::string> warnings;        // plain sentences on what was left out, and why

  /// "task = SORT"; empty where there is one table.
  std::string group_title() const;
};

/// Compares variants, in a table for each group of the observations. Throws UserError where the
/// baseline is no variant of any table, or two observations are of the same variant, seed and cell.
std::vector<Comparison> compare(const std::vector<Observation>& observations,
                                const ComparisonChoice& choice);

}  // namespace qkvlab
