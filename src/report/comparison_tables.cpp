#include "report/comparison_tables.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/csv.hpp"
#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "report/comparison_figures.hpp"
#include "report/plain_words.hpp"
#include "report/table.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

using Section = ComparisonFigure::Section;

/// Whether a figure is worth a column: counts of what is missing are where some is.
bool is_shown(const ComparisonFigure& figure, const Comparison& comparison) {
  if (!figure.is_count_of_missing) return true;
  return std::any_of(comparison.variants.begin(), comparison.variants.end(),
                     [&](const auto& variant) { return figure.of(variant).value->front() > 0; });
}

/// The table of one section; nothing where no variant has it.
std::optional<Table> table_of(const Comparison& comparison, Section section) {
  std::vector<const ComparisonFigure*> figures;
  std::vector<Table::Column> columns = {{"variant", Align::kLeft}};
  for (const ComparisonFigure& figure : comparison_figures()) {
    if (figure.section != section || !is_shown(figure, comparison)) continue;
    figures.push_back(&figure);
    columns.push_back({figure.title});
  }
  Table table(std::move(columns));
  bool has_rows = false;
  for (const VariantComparison& variant : comparison.variants) {
    if (!has_section(variant, section)) continue;
    std::vector<std::string> row = {variant.variant};
    for (const ComparisonFigure* figure : figures) row.push_back(figure_text(*figure, variant));
    table.add_row(std::move(row));
    has_rows = true;
  }
  return has_rows ? std::make_optional(std::move(table)) : std::nullopt;
}

/// The titles of tables and the tables, in order.
std::vector<std::pair<std::string, Table>> tables_of(const Comparison& comparison) {
  const std::string pairs = comparison.unit == Unit::kSeed ? "seed" : "seed and cell";
  const std::string minus = "Δ = variant − " + comparison.baseline;
  const std::vector<std::pair<Section, std::string>> sections = {
      {Section::kVariant,
       comparison.metric + (comparison.by.empty() ? "" : ", ") + comparison.group_title()},
      {Section::kDifference, minus + ", paired by " + pairs},
      {Section::kTest, "tests of these differences"},
      {Section::kUnpaired, minus + ", not paired"}};
  std::vector<std::pair<std::string, Table>> tables;
  for (const auto& [section, title] : sections) {
    auto table = table_of(comparison, section);
    if (table) tables.emplace_back(title, std::move(*table));
  }
  return tables;
}

}  // namespace

std::string sentence_text(const std::string& sentence, const TextStyle& style) {
  return paragraph("", in_style(printable(sentence), style), 2, style.width);
}

std::string comparison_text(const Comparison& comparison, const TextStyle& style) {
  std::string text;
  for (const auto& [title, table] : tables_of(comparison)) {
    text += sentence_text(title, style) + table.text(2, style) + "\n";
  }
  for (const std::string& sentence : plain_words(comparison)) {
    text += sentence_text(sentence, style);
  }
  return text;
}

std::string comparison_markdown(const Comparison& comparison) {
  std::string text;
  for (const auto& [title, table] : tables_of(comparison)) {
    text += "**" + markdown_text(title) + "**\n\n" + table.markdown() + "\n";
  }
  for (const std::string& sentence : plain_words(comparison)) {
    text += "- " + markdown_text(sentence) + "\n";
  }
  return text;
}

std::string comparison_csv_titles() {
  std::string titles = "metric,group,unit,baseline,variant,why_unpaired";
  for (const ComparisonFigure& figure : comparison_figures()) {
    const std::string key = (figure.section == Section::kVariant    ? ""
                             : figure.section == Section::kUnpaired ? "unpaired_"
                                                                    : "paired_") +
                            std::string(figure.key);
    titles += figure.style == ComparisonFigure::Style::kInterval
                  ? "," + key + "_low," + key + "_high"
                  : "," + key;
  }
  return titles + "\n";
}

std::string comparison_csv(const Comparison& comparison) {
  std::string text;
  for (const VariantComparison& variant : comparison.variants) {
    text += csv_field(comparison.metric) + "," + csv_field(comparison.group) + "," +
            (comparison.unit == Unit::kSeed ? "seed," : "cell,") + csv_field(comparison.baseline) +
            "," + csv_field(variant.variant) + "," + csv_field(variant.why_unpaired);
    for (const ComparisonFigure& figure : comparison_figures()) {
      const size_t width = figure.style == ComparisonFigure::Style::kInterval ? 2 : 1;
      std::optional<ComparisonFigure::Numbers> numbers;
      if (has_section(variant, figure.section)) numbers = figure.of(variant).value;
      for (size_t i = 0; i < width; ++i) {
        text += ",";
        if (numbers) append_number(text, (*numbers)[i]);
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace qkvlab
