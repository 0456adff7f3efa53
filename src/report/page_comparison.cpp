#include "report/page_comparison.hpp"

#include <algorithm>
#include <vector>

#include "report/comparison_figures.hpp"
#include "report/page_text.hpp"
#include "report/page_variants.hpp"
#include "report/plain_words.hpp"

namespace qkvlab {

namespace {

using Section = ComparisonFigure::Section;

/// What people read, in an element whose value is the exact number; of an interval two.
std::string cell_of(const ComparisonFigure& figure, const VariantComparison& variant) {
  const auto numbers = figure.of(variant);
  const std::string key = std::string(" data-key=\"") + figure.key + "\"";
  if (!numbers.value) {
    return "<td" + key + " title=\"" + html_text(numbers.reason) + "\">–</td>";
  }
  std::string html = "<td" + key + ">";
  if (figure.style == ComparisonFigure::Style::kInterval) {
    html += "<span class=\"interval\">[" + html_number(numbers.value->front()) + ", " +
            html_number(numbers.value->back()) + "]</span>";
  } else {
    html += html_number(numbers.value->front(), figure_text(figure, variant));
  }
  return html + "</td>";
}

const char* section_key(Section section) {
  switch (section) {
    case Section::kVariant:
      return "variant";
    case Section::kDifference:
      return "difference";
    case Section::kTest:
      return "test";
    case Section::kUnpaired:
      break;
  }
  return "unpaired";
}

/// A table of the variants that have the figures of a section.
std::string table_of(const Comparison& comparison, const std::string& caption, Section section,
                     const PageVariants& variants) {
  std::vector<const ComparisonFigure*> columns;
  for (const ComparisonFigure& figure : comparison_figures()) {
    if (figure.section != section) continue;
    const bool is_needed = std::any_of(
        comparison.variants.begin(), comparison.variants.end(), [&](const auto& variant) {
          return has_section(variant, figure.section) &&
                 (!figure.is_count_of_missing || figure.of(variant).value->front() > 0);
        });
    if (is_needed) columns.push_back(&figure);
  }
  if (columns.empty()) return "";
  std::string html = scroll_begin(caption, /*wide=*/section == Section::kVariant) +
                     "<table data-section=\"" + section_key(section) + "\"><caption>" +
                     html_text(caption) + "</caption><thead><tr><th scope=\"col\">variant</th>";
  for (const ComparisonFigure* figure : columns) {
    html += std::string("<th scope=\"col\">") + html_text(figure->title) + "</th>";
  }
  html += "</tr></thead><tbody>";
  for (const VariantComparison& variant : comparison.variants) {
    if (!has_section(variant, section)) continue;
    html += "<tr data-variant=\"" + html_text(variant.variant) + "\"><th scope=\"row\">" +
            variant_sample(variants.place_of(variant.variant)) + html_name(variant.variant) +
            "</th>";
    for (const ComparisonFigure* figure : columns) html += cell_of(*figure, variant);
    html += "</tr>";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string comparison_html(const Comparison& comparison, const PageVariants& variants) {
  std::string html = "<div class=\"comparison\">";
  if (!comparison.by.empty()) html += "<h3>" + html_name(comparison.group_title()) + "</h3>";
  html += "<ul class=\"words\">";
  for (const std::string& sentence : plain_words(comparison)) {
    html += "<li>" + html_text(sentence) + "</li>";
  }
  html += "</ul>\n";
  const std::string unit = comparison.unit == Unit::kSeed ? "seed" : "seed and cell";
  const std::string direction = !comparison.higher_is_better   ? ""
                                : *comparison.higher_is_better ? "; higher is better"
                                                               : "; lower is better";
  const std::string to_baseline = "Differences to " + comparison.baseline;
  html += table_of(comparison, comparison.metric + " by variant", Section::kVariant, variants);
  html += table_of(comparison, to_baseline + ", paired by " + unit + direction,
                   Section::kDifference, variants);
  html += table_of(comparison, "How sure these differences are", Section::kTest, variants);
  html += table_of(comparison, to_baseline + ", not paired", Section::kUnpaired, variants);
  return html + "</div>\n";
}

}  // namespace qkvlab
