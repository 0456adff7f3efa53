#include "statistics/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_difference.hpp"
#include "base/spelling.hpp"
#include "statistics/bootstrap.hpp"
#include "statistics/effect.hpp"
#include "statistics/holm.hpp"
#include "statistics/intervals.hpp"
#include "statistics/location.hpp"
#include "statistics/pairing.hpp"
#include "statistics/summary.hpp"
#include "statistics/units.hpp"

namespace qkvlab {

namespace {

using State = UnitValue::State;

/// The observations of one table.
struct Table {
  std::vector<std::string> variants;  // in the order in which they were observed
  std::map<std::string, SeedCells> cells;
};

[[noreturn]] void refuse_duplicate(const Observation& first, const Observation& second) {
  std::string difference;
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
                  " is there twice, first in " + first.place + difference);
}

/// The tables, in the order in which their groups were observed.
std::vector<std::pair<std::string, Table>> tables_of(const std::vector<Observation>& observations) {
  std::vector<std::pair<std::string, Table>> tables;
  for (const Observation& observation : observations) {
    auto table = std::find_if(tables.begin(), tables.end(),
                              [&](const auto& one) { return one.first == observation.group; });
    if (table == tables.end()) {
      tables.emplace_back(observation.group, Table());
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

std::vector<double> values_of(const std::map<UnitId, double>& of_units) {
  std::vector<double> values;
  for (const auto& [id, value] : of_units) values.push_back(value);
  return values;
}

std::vector<double> finite(std::vector<double> values) {
  values.erase(
      std::remove_if(values.begin(), values.end(), [](double one) { return !std::isfinite(one); }),
      values.end());
  return values;
}

/// A number that is NaN where there is none.
Figure<double> figure_of(double value, const std::string& reason) {
  return std::isnan(value) ? unknown<double>(reason) : known(value);
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
  TableComparer(const std::string& group, const Table& table, const ComparisonChoice& choice)
      : table_(table), choice_(choice) {
    comparison_.metric = choice.metric;
    comparison_.group = group;
    comparison_.baseline = choice.baseline.empty() ? table.variants.front() : choice.baseline;
    comparison_.higher_is_better = choice.higher_is_better;
    comparison_.unit = choice.unit;
  }

  Comparison compare() {
    const std::vector<std::string>& names = table_.variants;
    if (std::find(names.begin(), names.end(), comparison_.baseline) == names.end()) {
      throw UserError(
          (comparison_.group.empty() ? "" : "in the table of " + comparison_.group + ": ") +
          "--baseline: " + unknown_name("variant", comparison_.baseline, names));
    }
    comparison_.cells = cells_of(baseline());
    for (const std::string& name : names) {
      comparison_.variants.push_back(summary(name));
      if (name != comparison_.baseline) add_difference(comparison_.variants.back());
    }
    adjust();
    return std::move(comparison_);
  }

 private:
  const SeedCells& baseline() const { return table_.cells.at(comparison_.baseline); }

  /// The values of units with those that have none in the worst place.
  std::vector<double> ranked(const std::map<UnitId, UnitValue>& units) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> values;
    for (const auto& [id, unit] : units) {
      if (!unit.is_ranked()) continue;
      const double worst = choice_.higher_is_better ? -kInfinity : kInfinity;
      values.push_back(unit.state == State::kFinished ? unit.value : worst);
    }
    return values;
  }

  VariantComparison summary(const std::string& name) const {
    VariantComparison variant;
    variant.variant = name;
    const SeedCells& seeds = table_.cells.at(name);
    const auto units = unit_values(seeds, cells_of(seeds), choice_.unit);
    for (const auto& [id, unit] : units) {
      variant.diverged += unit.state == State::kDiverged ? 1 : 0;
      variant.not_reached += unit.state == State::kNotReached ? 1 : 0;
      variant.unfinished += unit.state == State::kUnfinished ? 1 : 0;
      variant.incomplete += unit.state == State::kIncomplete ? 1 : 0;
      if (unit.state == State::kFinished) variant.values[id] = unit.value;
    }
    const std::vector<double> values = values_of(variant.values);
    const std::vector<double> ranks = ranked(units);
    const Summary moments = summary_of(values);
    variant.n = moments.n;
    variant.mean = figure_of(moments.mean, "no run finished");
    variant.sd = figure_of(moments.sd, "needs at least two values");
    variant.mean_ci = mean_interval(values);
    variant.median = median(ranks);
    variant.median_ci = median_interval(ranks);
    variant.iqm = interquartile_mean(ranks);
    variant.iqm_ci = bca_interval(ranks, sorted_interquartile_mean, choice_.seed);
    return variant;
  }

  void add_difference(VariantComparison& variant) {
    const SeedCells& seeds = table_.cells.at(variant.variant);
    const std::vector<std::string> cells = common(cells_of(seeds), comparison_.cells);
    const auto units = unit_values(seeds, cells, choice_.unit);
    const auto baseline_units = unit_values(baseline(), cells, choice_.unit);
    if (cells.size() < std::max(cells_of(seeds).size(), comparison_.cells.size())) {
      warn(variant, "is compared in the " + std::to_string(cells.size()) +
                        " cells that the baseline has too");
    }
    const Pairing pairing = pairing_of(seeds, baseline());
    if (!pairing.why_not.empty() || cells.empty()) {
      variant.why_unpaired = cells.empty() ? "no cell is in both" : pairing.why_not;
      variant.unpaired = welch_test(finite(ranked(units)), finite(ranked(baseline_units)));
      return;
    }
    if (!pairing.warning.empty()) warn(variant, pairing.warning);
    variant.paired = paired(unit_differences(units, baseline_units, choice_.higher_is_better));
    const auto pairs = static_cast<int64_t>(variant.paired->differences.size());
    const auto alone = static_cast<int64_t>(std::max(units.size(), baseline_units.size())) - pairs;
    if (alone > 0) {
      warn(variant, std::to_string(alone) +
                        (alone == 1 ? " seed has no pair and is" : " seeds have no pair and are") +
                        " left out of the differences");
    }
    if (variant.paired->n < pairs) {
      warn(variant, "means and the sign-flip test are of the " + std::to_string(variant.paired->n) +
                        " pairs that finished; Wilcoxon's "
                        "test, the median and the share of better pairs count the other " +
                        std::to_string(pairs - variant.paired->n) + " by rank");
    }
  }

  PairedComparison paired(std::map<UnitId, double> of_units) const {
    PairedComparison pairs;
    pairs.differences = std::move(of_units);
    const std::vector<double> ranks = values_of(pairs.differences);
    const std::vector<double> differences = finite(ranks);
    pairs.n = static_cast<int64_t>(differences.size());
    pairs.mean = figure_of(summary_of(differences).mean, "no pair finished");
    pairs.mean_ci = mean_interval(differences);
    pairs.median = median(ranks);
    pairs.median_ci = median_interval(ranks);
    pairs.sign_flip = sign_flip_test(differences, choice_.seed);
    pairs.wilcoxon = wilcoxon_signed_rank(ranks);
    pairs.d_z = d_z(differences);
    pairs.p_improvement = improvement_probability(ranks, choice_.higher_is_better);
    pairs.smallest_p =
        pairs.n == 0 ? unknown<double>("no pair finished") : known(smallest_sign_flip_p(pairs.n));
    pairs.seeds_for_80_percent_power =
        pairs.d_z.value ? seeds_for_power(*pairs.d_z.value) : unknown<int64_t>(pairs.d_z.reason);
    return pairs;
  }

  void adjust() {
    std::vector<double> p;
    for (VariantComparison& variant : comparison_.variants) {
      const auto own = p_of(variant);
      if (own) p.push_back(*own);
    }
    const std::vector<double> adjusted = holm(p);
    size_t next = 0;
    for (VariantComparison& variant : comparison_.variants) {
      variant.p_holm =
          p_of(variant) ? known(adjusted[next++]) : unknown<double>("there is no test to adjust");
    }
  }

  static std::optional<double> p_of(const VariantComparison& variant) {
    if (variant.paired && variant.paired->sign_flip.value)
      return variant.paired->sign_flip.value->p;
    if (variant.unpaired && variant.unpaired->value) return variant.unpaired->value->p;
    return std::nullopt;
  }

  void warn(const VariantComparison& variant, const std::string& clause) {
    comparison_.warnings.push_back(variant.variant + ": " + clause);
  }

  const Table& table_;
  const ComparisonChoice& choice_;
  Comparison comparison_;
};

}  // namespace

std::vector<Comparison> compare(const std::vector<Observation>& observations,
                                const ComparisonChoice& choice) {
  std::vector<Comparison> comparisons;
  for (const auto& [group, table] : tables_of(observations)) {
    comparisons.push_back(TableComparer(group, table, choice).compare());
  }
  return comparisons;
}

}  // namespace qkvlab
