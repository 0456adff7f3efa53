#include "report/comparison_figures.hpp"

#include <cmath>

#include "base/number_text.hpp"

namespace qkvlab {

namespace {

using Section = ComparisonFigure::Section;
using Style = ComparisonFigure::Style;
using Numbers = ComparisonFigure::Numbers;

constexpr int kFigureDigits = 4;

Figure<Numbers> numbers(int64_t count) { return known(Numbers{static_cast<double>(count)}); }

template <typename T>
Figure<Numbers> numbers(const Figure<T>& figure) {
  if (!figure.value) return unknown<Numbers>(figure.reason);
  return known(Numbers{static_cast<double>(*figure.value)});
}

Figure<Numbers> numbers(const Figure<Interval>& figure) {
  if (!figure.value) return unknown<Numbers>(figure.reason);
  return known(Numbers{figure.value->low, figure.value->high});
}

/// A figure of paired differences.
template <typename Member>
auto paired(Member member) {
  return [member](const VariantComparison& variant) { return numbers((*variant.paired).*member); };
}

/// The p of a test of theirs.
template <typename Member>
auto paired_p(Member member) {
  return [member](const VariantComparison& variant) {
    const auto& test = (*variant.paired).*member;
    return test.value ? known(Numbers{test.value->p}) : unknown<Numbers>(test.reason);
  };
}

template <typename Member>
auto of_variant(Member member) {
  return [member](const VariantComparison& variant) { return numbers(variant.*member); };
}

/// A figure of Welch's test.
template <typename Get>
auto unpaired(Get get) {
  return [get](const VariantComparison& variant) {
    const Figure<Welch>& test = *variant.unpaired;
    return test.value ? known(get(*test.value)) : unknown<Numbers>(test.reason);
  };
}

std::vector<ComparisonFigure> make_figures() {
  using V = VariantComparison;
  using P = PairedComparison;
  return {
      {Section::kVariant, Style::kCount, "n", "n", "n", of_variant(&V::n)},
      {Section::kVariant, Style::kCount, "diverged", "diverged", "diverged",
       of_variant(&V::diverged), true},
      {Section::kVariant, Style::kCount, "not_reached", "not reached", "not reached",
       of_variant(&V::not_reached), true},
      {Section::kVariant, Style::kCount, "unfinished", "unfinished", "unfinished",
       of_variant(&V::unfinished), true},
      {Section::kVariant, Style::kCount, "incomplete", "incomplete", "incomplete",
       of_variant(&V::incomplete), true},
      {Section::kVariant, Style::kValue, "mean", "mean", "mean", of_variant(&V::mean)},
      {Section::kVariant, Style::kValue, "sd", "sd", "sd", of_variant(&V::sd)},
      {Section::kVariant, Style::kValue, "median", "median", "median", of_variant(&V::median)},
      {Section::kVariant, Style::kValue, "iqm", "IQM", "IQM", of_variant(&V::iqm)},
      {Section::kVariant, Style::kInterval, "mean_ci", "interval of the mean", "95 % CI of mean",
       of_variant(&V::mean_ci)},
      {Section::kVariant, Style::kInterval, "median_ci", "interval of the median",
       "95 % CI of median", of_variant(&V::median_ci)},
      {Section::kVariant, Style::kInterval, "iqm_ci", "interval of the IQM", "95 % CI of IQM",
       of_variant(&V::iqm_ci)},

      {Section::kDifference, Style::kCount, "n", "pairs", "pairs", paired(&P::n)},
      {Section::kDifference, Style::kDifference, "mean", "mean difference", "mean Δ",
       paired(&P::mean)},
      {Section::kDifference, Style::kInterval, "mean_ci", "interval of the mean difference",
       "95 % CI of mean Δ", paired(&P::mean_ci)},
      {Section::kDifference, Style::kDifference, "median", "median difference", "median Δ",
       paired(&P::median)},
      {Section::kDifference, Style::kInterval, "median_ci", "interval of the median difference",
       "95 % CI of median Δ", paired(&P::median_ci)},
      {Section::kTest, Style::kProbability, "p_sign_flip", "p of the sign-flip test", "p sign-flip",
       paired_p(&P::sign_flip)},
      {Section::kTest, Style::kProbability, "p_wilcoxon", "p of Wilcoxon's test", "p Wilcoxon",
       paired_p(&P::wilcoxon)},
      {Section::kTest, Style::kProbability, "p_holm", "p by Holm", "p Holm",
       of_variant(&V::p_holm)},
      {Section::kTest, Style::kValue, "d_z", "d_z", "d_z", paired(&P::d_z)},
      {Section::kTest, Style::kValue, "p_improvement", "share of better pairs", "better",
       paired(&P::p_improvement)},
      {Section::kTest, Style::kProbability, "smallest_p", "smallest p", "smallest p",
       paired(&P::smallest_p)},
      {Section::kTest, Style::kCount, "seeds_for_80_percent_power", "seeds for 80 % power",
       "seeds for 80 % power", paired(&P::seeds_for_80_percent_power)},

      {Section::kUnpaired, Style::kDifference, "mean", "mean difference", "mean Δ",
       unpaired([](const Welch& test) { return Numbers{test.difference}; })},
      {Section::kUnpaired, Style::kInterval, "mean_ci", "interval of the mean difference",
       "95 % CI", unpaired([](const Welch& test) {
         return Numbers{test.interval.low, test.interval.high};
       })},
      {Section::kUnpaired, Style::kProbability, "p_welch", "p of Welch's test", "p Welch",
       unpaired([](const Welch& test) { return Numbers{test.p}; })},
      {Section::kUnpaired, Style::kProbability, "p_holm", "p by Holm", "p Holm",
       of_variant(&V::p_holm)},
      {Section::kUnpaired, Style::kValue, "df", "df", "df",
       unpaired([](const Welch& test) { return Numbers{test.df}; })},
  };
}

}  // namespace

const std::vector<ComparisonFigure>& comparison_figures() {
  static const std::vector<ComparisonFigure> figures = make_figures();
  return figures;
}

bool has_section(const VariantComparison& variant, Section section) {
  if (section == Section::kVariant) return true;
  return section == Section::kUnpaired ? variant.unpaired.has_value() : variant.paired.has_value();
}

std::string difference_text(double value) {
  return (value > 0 ? "+" : "") + significant(value, kFigureDigits);
}

std::string probability_text(double p) {
  constexpr int kDigitsOfP = 2;
  return significant(p, kDigitsOfP);
}

std::string figure_text(const ComparisonFigure& figure, const VariantComparison& variant) {
  const Figure<Numbers> numbers = figure.of(variant);
  if (!numbers.value) return "–";
  const double value = numbers.value->front();
  switch (figure.style) {
    case Style::kCount:
      return std::to_string(std::llround(value));
    case Style::kDifference:
      return difference_text(value);
    case Style::kProbability:
      return probability_text(value);
    case Style::kInterval:
      return "[" + significant(value, kFigureDigits) + ", " +
             significant(numbers.value->back(), kFigureDigits) + "]";
    case Style::kValue:
      break;
  }
  return significant(value, kFigureDigits);
}

}  // namespace qkvlab
