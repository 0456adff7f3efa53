#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "statistics/comparison.hpp"

namespace qkvlab {

/// What a comparison says of a variant, in the order in which it is shown: the one list that JSON,
/// tables and the sentences on what is missing go through.
struct ComparisonFigure {
  /// The object of JSON that it stands in, and the table of text.
  enum class Section { kVariant, kDifference, kTest, kUnpaired };
  enum class Style { kCount, kValue, kDifference, kInterval, kProbability };
  /// One number, or the two ends of an interval.
  using Numbers = std::vector<double>;

  Section section;
  Style style;
  const char* key;    // in JSON and CSV: "mean_ci"
  const char* words;  // in a sentence: "interval of the mean"
  const char* title;  // of a column
  std::function<Figure<Numbers>(const VariantComparison&)> of;
  bool is_count_of_missing = false;  // shown in text only where some variant has some
};

/// All of them. Those of kDifference and kTest may be asked of paired variants alone, those of
/// kUnpaired of unpaired ones.
const std::vector<ComparisonFigure>& comparison_figures();

/// Whether a variant has the figures of a section.
bool has_section(const VariantComparison& variant, ComparisonFigure::Section section);

/// A figure for people: "0.0263", "+0.0263", "[0.0225, 0.0301]"; "–" where there is none.
std::string figure_text(const ComparisonFigure& figure, const VariantComparison& variant);

/// A difference with its sign, and a probability, as figure_text writes them.
std::string difference_text(double value);
std::string probability_text(double p);

}  // namespace qkvlab
