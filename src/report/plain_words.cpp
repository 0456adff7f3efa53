#include "report/plain_words.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/number_text.hpp"
#include "report/comparison_figures.hpp"

namespace qkvlab {

namespace {

/// The level at which a difference is called one.
constexpr double kLevel = 0.05;
constexpr int kDigits = 3;
/// Below this many seeds the bootstrap's intervals are too narrow: scripts/calibrate measures 90 %
/// with six, 93 % with ten.
constexpr int64_t kEnoughForBootstrap = 10;

std::string counted(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Words on the variants of one comparison.
class VariantWords {
 public:
  explicit VariantWords(const Comparison& comparison) : comparison_(comparison) {
    for (const VariantComparison& variant : comparison.variants) {
      tests_ += variant.p_holm.value ? 1 : 0;
    }
    const bool by_seed = comparison.unit == Unit::kSeed;
    noun_ = by_seed ? "seed" : "cell";
  }

  std::string of(const VariantComparison& variant) const {
    if (variant.unpaired) return unpaired(variant);
    const PairedComparison& pairs = *variant.paired;
    const std::string& name = variant.variant;
    if (pairs.n == 0) {
      return name + ": no pair with " + comparison_.baseline +
             " finished, so no difference can be told.";
    }
    const bool too_few_pairs = smallest_adjusted_p(pairs) > kLevel;
    if (is_zero_everywhere(pairs)) {
      return name + ": equal to " + comparison_.baseline + " in each of " +
             counted(pairs.n, "pair") + (too_few_pairs ? "; " + cannot_tell(pairs) + "." : ".");
    }
    const double p = *variant.p_holm.value;
    if (p <= kLevel) {
      return name + " differs from " + comparison_.baseline + ": " + difference(variant) + "; p " +
             probability_text(p) + " (sign-flip" + adjustment() + ").";
    }
    if (too_few_pairs) {
      return name + ": " + cannot_tell(pairs) + ". So far " + difference(variant) + "." +
             wanted(pairs);
    }
    return name + " cannot be told from " + comparison_.baseline + ": " + difference(variant) +
           "; p " + probability_text(p) + " (sign-flip" + adjustment() + ")." + wanted(pairs);
  }

 private:
  static bool is_zero_everywhere(const PairedComparison& pairs) {
    return std::all_of(pairs.differences.begin(), pairs.differences.end(),
                       [](const auto& one) { return one.second == 0; });
  }

  std::string adjustment() const {
    return tests_ > 1 ? ", Holm over " + std::to_string(tests_) + " variants" : "";
  }

  std::string direction(double difference) const {
    if (difference == 0) return "";
    const bool better = (difference > 0) == comparison_.higher_is_better;
    return better ? " (better)" : " (worse)";
  }

  /// "test.loss is on average 0.0263 higher (worse), 95 % CI +0.0225 to +0.0301, over 30 seeds".
  std::string difference(const VariantComparison& variant) const {
    const PairedComparison& pairs = *variant.paired;
    return sentence(*pairs.mean.value, pairs.mean_ci) + ", over " + counted(pairs.n, noun_);
  }

  std::string sentence(double mean, const Figure<Interval>& interval) const {
    std::string text = comparison_.metric + " is on average ";
    text += mean == 0 ? "the same"
                      : significant(std::abs(mean), kDigits) + (mean > 0 ? " higher" : " lower");
    text += direction(mean);
    if (interval.value) {
      text += ", 95 % CI " + difference_text(interval.value->low) + " to " +
              difference_text(interval.value->high);
    }
    return text;
  }

  /// The smallest p that pairs can reach after Holm's adjustment.
  double smallest_adjusted_p(const PairedComparison& pairs) const {
    return std::min(1.0, *pairs.smallest_p.value * static_cast<double>(tests_));
  }

  /// "3 seeds cannot tell it from full, whatever the values: …".
  std::string cannot_tell(const PairedComparison& pairs) const {
    std::string text = counted(pairs.n, noun_) + " cannot tell it from " + comparison_.baseline +
                       ", whatever the values: the smallest p that they can reach is " +
                       probability_text(*pairs.smallest_p.value);
    if (*pairs.smallest_p.value <= kLevel) {
      text += ", times " + std::to_string(tests_) + " variants compared at once " +
              probability_text(smallest_adjusted_p(pairs));
    }
    return text;
  }

  /// How many seeds would tell.
  std::string wanted(const PairedComparison& pairs) const {
    if (!pairs.seeds_for_80_percent_power.value) return "";
    const int64_t seeds = *pairs.seeds_for_80_percent_power.value;
    // Below what the test itself needs to reach the level, power by Student's t says too little.
    int64_t needed = 1;
    while (std::ldexp(1.0, static_cast<int>(1 - needed)) * static_cast<double>(tests_) > kLevel) {
      ++needed;
    }
    return " An effect as large as the one seen takes about " +
           counted(std::max(seeds, needed), noun_) + " to be found in 4 of 5 tries.";
  }

  std::string unpaired(const VariantComparison& variant) const {
    const std::string start = variant.variant + " is not paired with " + comparison_.baseline +
                              ", since " + variant.why_unpaired + "; ";
    const Figure<Welch>& test = *variant.unpaired;
    if (!test.value) return start + "Welch's test says nothing: " + test.reason + ".";
    const double p = *variant.p_holm.value;
    return start + "by Welch's test it " +
           (p <= kLevel ? "differs: " : "cannot be told from it: ") +
           sentence(test.value->difference, known(test.value->interval)) + "; p " +
           probability_text(p) +
           (tests_ > 1 ? " (Holm over " + std::to_string(tests_) + " variants)." : ".");
  }

  const Comparison& comparison_;
  int64_t tests_ = 0;
  std::string noun_;
};

void add_unit(const Comparison& comparison, std::vector<std::string>& words) {
  if (comparison.unit == Unit::kCell) {
    words.push_back(
        "By your claim (--unit cell) each cell of a seed counts as independent of the "
        "others; if they share data, all p and intervals here are too small.");
  } else if (comparison.cells.size() > 1) {
    constexpr size_t kShown = 4;
    std::vector<std::string> shown(
        comparison.cells.begin(), comparison.cells.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                 kShown, comparison.cells.size())));
    if (shown.size() < comparison.cells.size()) shown.emplace_back("…");
    words.push_back("A seed's value is the mean over its " +
                    counted(static_cast<int64_t>(comparison.cells.size()), "cell") + " (" +
                    listed(shown) + "), which are not independent: n counts seeds.");
  }
}

void add_missing(const VariantComparison& variant, std::vector<std::string>& words) {
  const auto add = [&](int64_t count, const std::string& what) {
    if (count > 0)
      words.push_back(variant.variant + ": " + std::to_string(count) + " " + what + ".");
  };
  const std::string by_rank =
      "; mean and sd are of the finished, median and IQM count these as the worst";
  add(variant.diverged, "diverged" + by_rank);
  add(variant.not_reached, "never came to the threshold" + by_rank);
  add(variant.unfinished, "did not finish and count nowhere");
  add(variant.incomplete, "lack some of the cells and count nowhere");
}

/// Whether a sentence has said of a variant that there is no difference at all.
bool says_nothing(const VariantComparison& variant) {
  return variant.paired ? variant.paired->differences.empty() : !variant.unpaired->value;
}

void add_short_coverage(const Comparison& comparison, std::vector<std::string>& words) {
  const bool any = std::any_of(
      comparison.variants.begin(), comparison.variants.end(),
      [](const auto& variant) { return variant.iqm_ci.value && variant.n < kEnoughForBootstrap; });
  if (any) {
    words.push_back("iqm_ci of fewer than ten " +
                    std::string(comparison.unit == Unit::kSeed ? "seeds" : "cells") +
                    " holds the truth in about 90 % instead of 95 %.");
  }
}

/// "No median_ci (needs at least six seeds): full, uniform."
void add_unknown(const Comparison& comparison, std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::vector<std::string>>> unknown;
  for (const ComparisonFigure& figure : comparison_figures()) {
    for (const VariantComparison& variant : comparison.variants) {
      const bool of_pairs = figure.section != ComparisonFigure::Section::kVariant;
      if (!has_section(variant, figure.section) || (of_pairs && says_nothing(variant))) continue;
      const auto numbers = figure.of(variant);
      if (numbers.value) continue;
      const std::string what = std::string("No ") + figure.key +
                               (of_pairs ? " of differences" : "") + " (" + numbers.reason + "): ";
      auto known = std::find_if(unknown.begin(), unknown.end(),
                                [&](const auto& one) { return one.first == what; });
      if (known == unknown.end()) known = unknown.insert(unknown.end(), {what, {}});
      known->second.push_back(variant.variant);
    }
  }
  for (const auto& [what, variants] : unknown) words.push_back(what + listed(variants) + ".");
}

}  // namespace

std::vector<std::string> plain_words(const Comparison& comparison) {
  std::vector<std::string> words;
  const VariantWords variant_words(comparison);
  for (const VariantComparison& variant : comparison.variants) {
    if (variant.variant != comparison.baseline) words.push_back(variant_words.of(variant));
  }
  add_unit(comparison, words);
  for (const VariantComparison& variant : comparison.variants) add_missing(variant, words);
  for (const std::string& warning : comparison.warnings) words.push_back(warning + ".");
  add_short_coverage(comparison, words);
  add_unknown(comparison, words);
  return words;
}

}  // namespace qkvlab
