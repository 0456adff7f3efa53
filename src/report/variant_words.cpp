#include "report/variant_words.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number_text.hpp"
#include "report/comparison_figures.hpp"
#include "statistics/effect.hpp"
#include "statistics/holm.hpp"

namespace qkvlab {

namespace {

/// The level at which a difference is called one.
constexpr double kLevel = 0.05;
constexpr int kSpokenDigits = 3;

class VariantWords {
 public:
  VariantWords(const ComparedVariants& compared, const VariantComparison& variant)
      : compared_(compared),
        comparison_(compared.comparison),
        variant_(variant),
        noun_(comparison_.unit == Unit::kSeed ? "seed" : "cell"),
        tests_(compared.tests) {}

  std::string paired() const {
    const PairedComparison& pairs = *variant_.paired;
    const auto count = static_cast<int64_t>(pairs.differences.ranked.size());
    const std::string& name = variant_.variant;
    const std::string& baseline = comparison_.baseline;
    if (count == 0) {
      return name + ": no pair with " + baseline + " finished, so no difference can be told.";
    }
    if (!variant_.p_holm.value) {
      return name + ": nothing can be told of its difference to " + baseline + ", " +
             variant_.p_holm.reason + ".";
    }
    const bool too_few = *pairs.smallest_p.value > kLevel;
    const bool too_many_at_once = smallest_adjusted_p() > kLevel;
    if (is_zero_everywhere()) {
      return name + ": equal to " + baseline + " in each of " + counted(count, "pair") +
             (too_few ? "; " + cannot_tell() + "." : ".");
    }
    const double p = *variant_.p_holm.value;
    if (p <= kLevel) {
      return name + " differs from " + baseline + ": " + difference() + "; p " +
             probability_text(p) + test_name() + ".";
    }
    if (too_few || too_many_at_once) {
      return name + ": " + cannot_tell() + ". So far " + difference() + "." + wanted();
    }
    return name + " cannot be told from " + baseline + ": " + difference() + "; p " +
           probability_text(p) + test_name() + "." + wanted();
  }

  std::string unpaired() const {
    const std::string start = variant_.variant + " is not paired with " + comparison_.baseline +
                              ", since " + variant_.why_unpaired + "; ";
    const Figure<Welch>& test = *variant_.unpaired;
    if (!test.value) return start + "Welch's test says nothing: " + test.reason + ".";
    const double p = *variant_.p_holm.value;
    const bool all_finished = without_value(variant_) == 0 && without_value(baseline()) == 0;
    return start + "by Welch's test it " +
           (p <= kLevel ? "differs: " : "cannot be told from it: ") +
           mean_text(test.value->difference, known(test.value->interval), all_finished) + "; p " +
           probability_text(p) + (tests_ > 1 ? " (" + adjustment() + ")" : "") +
           (all_finished ? "." : "; that is of the runs that finished alone.");
  }

 private:
  const VariantComparison& baseline() const { return *compared_.baseline; }

  static int64_t without_value(const VariantComparison& variant) {
    return variant.diverged + variant.not_reached;
  }

  bool is_zero_everywhere() const {
    const auto& ranked = variant_.paired->differences.ranked;
    return std::all_of(ranked.begin(), ranked.end(),
                       [](const auto& one) { return one.second == 0; });
  }

  std::string adjustment() const { return "Holm over " + std::to_string(tests_) + " variants"; }

  std::string test_name() const {
    const std::string test = variant_.paired->is_decided_by_rank()
                                 ? "Wilcoxon, runs without a value ranked last"
                                 : "sign-flip";
    return " (" + test + (tests_ > 1 ? ", " + adjustment() : "") + ")";
  }

  /// "test.loss is on average 0.0263 higher (worse), 95 % CI +0.0225 to +0.0301".
  std::string mean_text(double mean, const Figure<Interval>& interval, bool may_judge) const {
    std::string text = comparison_.metric + " is on average ";
    text += mean == 0
                ? "the same"
                : significant(std::abs(mean), kSpokenDigits) + (mean > 0 ? " higher" : " lower");
    if (may_judge && mean != 0 && comparison_.higher_is_better) {
      text += (mean > 0) == *comparison_.higher_is_better ? " (better)" : " (worse)";
    }
    if (interval.value) {
      text += ", 95 % CI " + difference_text(interval.value->low) + " to " +
              difference_text(interval.value->high);
    }
    return text;
  }

  std::string difference() const {
    const PairedComparison& pairs = *variant_.paired;
    if (!pairs.is_decided_by_rank()) {
      return mean_text(*pairs.mean.value, pairs.mean_ci, true) + ", over " +
             counted(pairs.n, noun_);
    }
    int64_t better = 0, worse = 0;
    for (const auto& [unit, value] : pairs.differences.ranked) {
      if (value == 0) continue;
      ((value > 0) == *comparison_.higher_is_better ? better : worse) += 1;
    }
    const auto count = static_cast<int64_t>(pairs.differences.ranked.size());
    std::string text =
        "better in " + std::to_string(better) + " and worse in " + std::to_string(worse) + " of " +
        counted(count, "pair") + ", " + std::to_string(count - pairs.n) +
        " of them with a run that " +
        (baseline().not_reached + variant_.not_reached > 0 ? "never got there" : "diverged");
    if (pairs.mean.value) {
      text += "; in " +
              (pairs.n == 1 ? std::string("the one that finished ")
                            : "the " + std::to_string(pairs.n) + " that finished ") +
              mean_text(*pairs.mean.value, pairs.mean_ci, false);
    }
    return text;
  }

  /// The smallest p that its pairs can reach after Holm's adjustment, the other variants' as it is.
  double smallest_adjusted_p() const {
    return compared_.p.adjusted(*variant_.p().value, *variant_.paired->smallest_p.value);
  }

  /// "3 seeds cannot tell it from full, whatever the values: …".
  std::string cannot_tell() const {
    const PairedComparison& pairs = *variant_.paired;
    const double smallest = *pairs.smallest_p.value;
    const auto count = static_cast<int64_t>(pairs.differences.ranked.size());
    const std::string start =
        counted(count, noun_) + " cannot tell it from " + comparison_.baseline;
    if (smallest > kLevel) {
      return start + ", whatever " + (count == 1 ? "its value" : "their values") +
             ": the smallest p that they can reach is " + probability_text(smallest);
    }
    return counted(count, noun_) + " are too few to tell it from " + comparison_.baseline +
           " beside " + counted(tests_ - 1, "variant") +
           " more: the smallest p that they can reach is " + probability_text(smallest) +
           ", by Holm " + probability_text(smallest_adjusted_p());
  }

  /// How many seeds would tell.
  std::string wanted() const {
    const PairedComparison& pairs = *variant_.paired;
    if (!pairs.d_z.value || pairs.is_decided_by_rank()) return "";
    constexpr double kPower = 0.8;
    constexpr double kLowest = 1e-4;  // that paired_t_power takes
    const double level = std::max(kLowest, kLevel / static_cast<double>(tests_));
    const auto by_t = seeds_for_power(*pairs.d_z.value, kPower, level);
    if (!by_t.value) return "";
    // Below what the test itself needs to reach the level, power by Student's t says too little.
    int64_t needed = 1;
    while (std::ldexp(1.0, static_cast<int>(1 - needed)) > level) ++needed;
    return " An effect as large as the one seen takes about " +
           counted(std::max(*by_t.value, needed), noun_) + " to be found in 4 of 5 tries" +
           (tests_ > 1 ? " beside as many variants." : ".");
  }

  const ComparedVariants& compared_;
  const Comparison& comparison_;
  const VariantComparison& variant_;
  std::string noun_;
  int64_t tests_;
};

std::vector<double> p_of(const Comparison& comparison) {
  std::vector<double> all;
  for (const VariantComparison& variant : comparison.variants) {
    if (const auto p = variant.p(); p.value) all.push_back(*p.value);
  }
  return all;
}

}  // namespace

ComparedVariants::ComparedVariants(const Comparison& all) : comparison(all), p(p_of(all)) {
  for (const VariantComparison& variant : all.variants) {
    if (variant.variant == all.baseline) baseline = &variant;
    tests += variant.p_holm.value ? 1 : 0;
  }
}

std::string variant_words(const ComparedVariants& compared, const VariantComparison& variant) {
  const VariantWords words(compared, variant);
  return variant.paired ? words.paired() : words.unpaired();
}

}  // namespace qkvlab
