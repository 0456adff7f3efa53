#include "report/plain_words.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "report/comparison_figures.hpp"
#include "report/variant_words.hpp"

namespace qkvlab {

namespace {

/// Below this many seeds the bootstrap's intervals are too narrow: scripts/calibrate measures 90 %
/// with six, 93 % with ten.
constexpr size_t kEnoughForBootstrap = 10;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void add_unit(const Comparison& comparison, std::vector<std::string>& words) {
  if (comparison.unit == Unit::kCell) {
    words.emplace_back(
        "By your claim (--unit cell) each cell of a seed counts as independent of the others; if "
        "they share data, all p and intervals here are too small.");
  } else if (!comparison.cells.empty()) {
    constexpr size_t kShown = 4;
    const auto shown_count = static_cast<std::ptrdiff_t>(std::min(kShown, comparison.cells.size()));
    std::vector<std::string> shown(comparison.cells.begin(),
                                   comparison.cells.begin() + shown_count);
    if (shown.size() < comparison.cells.size()) shown.emplace_back("…");
    words.push_back("A seed's value is the mean over its " +
                    counted(static_cast<int64_t>(comparison.cells.size()), "cell") + " (" +
                    listed(shown) + "), which are not independent: n counts seeds.");
  }
}

/// "none: 2 seeds diverged; …" of what has no value.
void add_missing(const Comparison& comparison, const VariantComparison& variant,
                 std::vector<std::string>& words) {
  const bool averaged = comparison.unit == Unit::kSeed && !comparison.cells.empty();
  const std::string noun = comparison.unit == Unit::kSeed ? "seed" : "cell";
  const auto add = [&](int64_t count, const std::string& what, const std::string& in_a_cell,
                       const std::string& consequence) {
    if (count == 0) return;
    const std::string some_cell = count == 1 ? " has a cell that " : " have a cell that ";
    words.push_back(variant.variant + ": " + counted(count, noun) +
                    (averaged ? some_cell + in_a_cell : " " + what) + "; " + consequence + ".");
  };
  const std::string by_rank =
      comparison.higher_is_better
          ? "mean and sd are of the finished, median and IQM count this as the worst"
          : "all figures are of the finished";
  add(variant.diverged, "diverged", "diverged", by_rank);
  add(variant.not_reached, "never came to the threshold", "never came to the threshold", by_rank);
  add(variant.unfinished, "did not finish", "did not finish", "that counts nowhere");
  const std::string lacks = variant.incomplete == 1 ? " lacks" : " lack";
  if (variant.incomplete > 0) {
    words.push_back(variant.variant + ": " + counted(variant.incomplete, noun) + lacks +
                    " some of the cells; that counts nowhere.");
  }
}

void add_short_coverage(const Comparison& comparison, std::vector<std::string>& words) {
  const bool any =
      std::any_of(comparison.variants.begin(), comparison.variants.end(), [](const auto& variant) {
        return variant.iqm_ci.value && variant.values.size() < kEnoughForBootstrap;
      });
  if (any) {
    words.emplace_back(
        "The interval of the IQM of fewer than ten seeds holds the truth in about 90 % instead of "
        "95 "
        "%.");
  }
}

/// Whether a sentence has said of a variant that there is no difference at all.
bool says_nothing(const VariantComparison& variant) {
  return variant.paired ? variant.paired->differences.ranked.empty() : !variant.unpaired->value;
}

/// "No interval of the median, interval of the IQM (needs at least 6 seeds): full, uniform."
void add_unknown(const Comparison& comparison, std::vector<std::string>& words) {
  struct Missing {
    std::string what, reason;
    std::vector<std::string> variants;
  };
  std::vector<Missing> all;
  for (const ComparisonFigure& figure : comparison_figures()) {
    const bool of_pairs = figure.section != ComparisonFigure::Section::kVariant;
    const std::string what = figure.words;
    std::vector<Missing> missing;  // of this figure, one for each reason
    for (const VariantComparison& variant : comparison.variants) {
      if (!has_section(variant, figure.section) || (of_pairs && says_nothing(variant))) continue;
      const auto numbers = figure.of(variant);
      if (numbers.value) continue;
      auto known = std::find_if(missing.begin(), missing.end(),
                                [&](const auto& one) { return one.reason == numbers.reason; });
      if (known == missing.end()) known = missing.insert(known, {what, numbers.reason, {}});
      known->variants.push_back(variant.variant);
    }
    for (Missing& one : missing) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const auto& other) {
        return other.reason == one.reason && other.variants == one.variants;
      });
      if (same == all.end()) {
        all.push_back(std::move(one));
      } else {
        same->what += ", " + one.what;
      }
    }
  }
  for (const Missing& one : all) {
    words.push_back("No " + one.what + " (" + one.reason + "): " + listed(one.variants) + ".");
  }
}

}  // namespace

std::vector<std::string> plain_words(const Comparison& comparison) {
  const ComparedVariants compared(comparison);
  std::vector<std::string> words;
  for (const VariantComparison& variant : comparison.variants) {
    if (variant.paired || variant.unpaired) words.push_back(variant_words(compared, variant));
  }
  add_unit(comparison, words);
  for (const VariantComparison& variant : comparison.variants) {
    add_missing(comparison, variant, words);
  }
  for (const std::string& warning : comparison.warnings) words.push_back(warning + ".");
  add_short_coverage(comparison, words);
  add_unknown(comparison, words);
  return words;
}

}  // namespace qkvlab
