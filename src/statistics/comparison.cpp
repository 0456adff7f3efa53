#include "statistics/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "statistics/bootstrap.hpp"
#include "statistics/effect.hpp"
#include "statistics/holm.hpp"
#include "statistics/intervals.hpp"
#include "statistics/location.hpp"
#include "statistics/observation_tables.hpp"
#include "statistics/pairing.hpp"
#include "statistics/summary.hpp"
#include "statistics/units.hpp"
#include "statistics/values.hpp"

namespace qkvlab {

namespace {

using State = UnitValue::State;

std::vector<double> values_of(const std::map<UnitId, double>& of_units) {
  std::vector<double> values;
  for (const auto& [id, value] : of_units) values.push_back(value);
  return values;
}

/// A number that is NaN where there is none, and infinite where it is beyond all numbers.
Figure<double> figure_of(double value, const std::string& reason) {
  if (std::isnan(value)) return unknown<double>(reason);
  return std::isfinite(value) ? known(value) : unknown<double>(kTooLarge);
}

std::vector<std::string> common(const std::vector<std::string>& left,
                                const std::vector<std::string>& right) {
  std::vector<std::string> both;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::back_inserter(both));
  return both;
}

/// Compares the variants of one table.
class TableComparer {
 public:
  TableComparer(const std::string& group, const ObservationTable& table,
                const ComparisonChoice& choice)
      : table_(table), choice_(choice) {
    comparison_.metric = choice.metric;
    comparison_.by = choice.by;
    comparison_.group = group;
    comparison_.baseline = choice.baseline.empty() ? table.variants.front() : choice.baseline;
    comparison_.higher_is_better = choice.higher_is_better;
    comparison_.unit = choice.unit;
  }

  Comparison compare() {
    const auto baseline = table_.cells.find(comparison_.baseline);
    if (baseline == table_.cells.end()) {
      comparison_.warnings.push_back("there is no " + comparison_.baseline +
                                     " here, so nothing is compared with it");
    } else {
      baseline_ = &baseline->second;
    }
    set_cells();
    for (const std::string& name : table_.variants) {
      comparison_.variants.push_back(summary(name));
      if (baseline_ != nullptr && name != comparison_.baseline) {
        add_difference(comparison_.variants.back());
      }
    }
    adjust();
    return std::move(comparison_);
  }

 private:
  /// Compares in the cells that all variants have, so that values and differences are of the same
  /// ones; where there are none, each variant in its own.
  void set_cells() {
    std::set<std::string> all;
    for (const auto& [name, seeds] : table_.cells) {
      const std::vector<std::string> own = cells_of(seeds);
      shared_ = all.empty() ? own : common(shared_, own);
      all.insert(own.begin(), own.end());
    }
    const std::vector<std::string> averaged =
        shared_.empty() ? std::vector<std::string>(all.begin(), all.end()) : shared_;
    if (all.size() > 1) comparison_.cells = averaged;
    for (const std::string& cell : averaged) all.erase(cell);
    if (!all.empty()) {
      std::string left_out;
      for (const std::string& cell : all) left_out += (left_out.empty() ? "" : ", ") + cell;
      comparison_.warnings.push_back("left out, since not all variants have them: " + left_out);
    }
  }

  std::vector<std::string> cells_to_compare(const SeedCells& seeds) const {
    return shared_.empty() ? cells_of(seeds) : shared_;
  }

  VariantComparison summary(const std::string& name) const {
    VariantComparison variant;
    variant.variant = name;
    const SeedCells& seeds = table_.cells.at(name);
    const UnitValues units = unit_values(seeds, cells_to_compare(seeds), choice_.unit);
    for (const auto& [id, unit] : units) {
      variant.diverged += unit.state == State::kDiverged ? 1 : 0;
      variant.not_reached += unit.state == State::kNotReached ? 1 : 0;
      variant.unfinished += unit.state == State::kUnfinished ? 1 : 0;
      variant.incomplete += unit.state == State::kIncomplete ? 1 : 0;
      if (unit.is_finished()) variant.values[id] = unit.value;
    }
    const std::vector<double> values = values_of(variant.values);
    const std::vector<double> ranks = ranked_values(units, choice_.higher_is_better);
    const Summary moments = summary_of(values);
    variant.n = moments.n;
    variant.mean = figure_of(moments.mean, "no run finished");
    variant.sd = figure_of(moments.sd, "needs at least two seeds");
    variant.mean_ci = mean_interval(values);
    variant.median = median(ranks);
    variant.median_ci = median_interval(ranks);
    variant.iqm = interquartile_mean(ranks);
    variant.iqm_ci =
        ranks.size() < kFewestForBootstrap
            ? unknown<Interval>("needs at least " + std::to_string(kFewestForBootstrap) + " seeds")
            : bca_interval(
                  ranks, sorted_interquartile_mean, interquartile_means_without_each, choice_.seed,
                  affordable_resamples(kBootstrapResamples, static_cast<int64_t>(ranks.size())));
    return variant;
  }

  void add_difference(VariantComparison& variant) {
    const SeedCells& seeds = table_.cells.at(variant.variant);
    const UnitValues units = unit_values(seeds, cells_to_compare(seeds), choice_.unit);
    const UnitValues baseline_units =
        unit_values(*baseline_, cells_to_compare(*baseline_), choice_.unit);
    UnitDifferences found = unit_differences(units, baseline_units, choice_.higher_is_better);
    const std::vector<double> values = ranked_values(units, std::nullopt);
    const std::vector<double> baseline_values = ranked_values(baseline_units, std::nullopt);
    Pairing pairing = pairing_of(seeds, *baseline_);
    if (shared_.empty()) {
      pairing.why_not = "no cell is in all variants";
    } else if (found.ranked.size() == 1 && values.size() > 1 && baseline_values.size() > 1) {
      pairing.why_not = "one seed alone is in both";
    }
    if (!pairing.why_not.empty()) {
      variant.why_unpaired = pairing.why_not;
      variant.unpaired = welch_test(values, baseline_values);
      return;
    }
    if (!pairing.warning.empty()) warn(variant, pairing.warning);
    variant.paired = paired(std::move(found));
    const UnitDifferences& differences = variant.paired->differences;
    UnitValues either = units;
    either.insert(baseline_units.begin(), baseline_units.end());
    const auto alone = static_cast<int64_t>(either.size() - differences.ranked.size());
    if (alone > 0) {
      warn(variant, counted(alone, choice_.unit == Unit::kSeed ? "seed" : "cell") +
                        (alone == 1 ? " has no pair and is" : " have no pair and are") +
                        " left out of the differences");
    }
  }

  PairedComparison paired(UnitDifferences&& of_units) const {
    PairedComparison pairs;
    pairs.differences = std::move(of_units);
    const std::vector<double> ranks = values_of(pairs.differences.ranked);
    const std::vector<double> differences = values_of(pairs.differences.finished);
    const double size = pairs.differences.values_size;
    pairs.n = static_cast<int64_t>(differences.size());
    pairs.mean = figure_of(summary_of(differences).mean, "no pair finished");
    pairs.mean_ci = mean_interval(differences);
    pairs.median = median(ranks);
    pairs.median_ci = median_interval(ranks);
    pairs.sign_flip = sign_flip_test(differences, choice_.seed,
                                     affordable_resamples(kSignFlipResamples, pairs.n), size);
    pairs.wilcoxon = wilcoxon_signed_rank(ranks, size);
    pairs.d_z = d_z(differences, size);
    pairs.p_improvement =
        choice_.higher_is_better
            ? improvement_probability(ranks, *choice_.higher_is_better)
            : unknown<double>("which values are better is not known; --better says it");
    pairs.smallest_p = smallest_p(pairs);
    pairs.seeds_for_80_percent_power =
        pairs.d_z.value ? seeds_for_power(*pairs.d_z.value) : unknown<int64_t>(pairs.d_z.reason);
    return pairs;
  }

  static Figure<double> smallest_p(const PairedComparison& pairs) {
    const auto n = static_cast<int64_t>(pairs.differences.ranked.size());
    if (n == 0) return unknown<double>("there are no pairs");
    if (pairs.is_decided_by_rank()) return known(smallest_wilcoxon_p(n));
    return known(smallest_sign_flip_p(n, affordable_resamples(kSignFlipResamples, n)));
  }

  void adjust() {
    std::vector<double> p;
    for (const VariantComparison& variant : comparison_.variants) {
      const auto own = variant.p();
      if (own.value) p.push_back(*own.value);
    }
    const std::vector<double> adjusted = holm(p);
    size_t next = 0;
    for (VariantComparison& variant : comparison_.variants) {
      const auto own = variant.p();
      variant.p_holm = own.value ? known(adjusted[next++]) : own;
    }
  }

  void warn(const VariantComparison& variant, const std::string& clause) {
    comparison_.warnings.push_back(variant.variant + ": " + clause);
  }

  /// The bootstrap's intervals of fewer seeds are far too narrow: those of five hold the truth in
  /// 87 to 90 %, those of three in 71 to 73 % (scripts/calibrate --n 3 5).
  static constexpr size_t kFewestForBootstrap = 6;

  const ObservationTable& table_;
  const ComparisonChoice& choice_;
  const SeedCells* baseline_ = nullptr;
  std::vector<std::string> shared_;  // the cells that all variants have
  Comparison comparison_;
};

}  // namespace

std::string Comparison::group_title() const { return by.empty() ? "" : by + " = " + group; }

Figure<double> PairedComparison::p() const {
  if (is_decided_by_rank()) {
    return wilcoxon.value ? known(wilcoxon.value->p) : unknown<double>(wilcoxon.reason);
  }
  return sign_flip.value ? known(sign_flip.value->p) : unknown<double>(sign_flip.reason);
}

Figure<double> VariantComparison::p() const {
  if (paired) return paired->p();
  if (!unpaired) return unknown<double>("nothing is compared");
  return unpaired->value ? known(unpaired->value->p) : unknown<double>(unpaired->reason);
}

std::vector<Comparison> compare(const std::vector<Observation>& observations,
                                const ComparisonChoice& choice) {
  const auto tables = tables_of(observations);
  std::set<std::string> variants;
  for (const auto& [group, table] : tables) {
    variants.insert(table.variants.begin(), table.variants.end());
  }
  if (!choice.baseline.empty() && variants.count(choice.baseline) == 0) {
    throw UserError(unknown_name("baseline", choice.baseline, {variants.begin(), variants.end()}));
  }
  std::vector<Comparison> comparisons;
  for (const auto& [group, table] : tables) {
    comparisons.push_back(TableComparer(group, table, choice).compare());
  }
  return comparisons;
}

}  // namespace qkvlab
