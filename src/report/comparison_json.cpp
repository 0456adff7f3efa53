#include "report/comparison_json.hpp"

#include <cmath>

#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "report/comparison_figures.hpp"
#include "report/plain_words.hpp"

namespace qkvlab {

namespace {

using Section = ComparisonFigure::Section;

void append_texts(std::string& out, const std::vector<std::string>& texts,
                  const std::string& indent) {
  const char* separator = "";
  out += "[";
  for (const std::string& text : texts) {
    out += separator + ("\n" + indent);
    // A path in it need not be UTF-8.
    append_json_string(out, printable(text));
    separator = ",";
  }
  out += "]";
}

void append_figure(std::string& out, const ComparisonFigure& figure,
                   const VariantComparison& variant) {
  append_json_string(out, figure.key);
  out += ": ";
  const auto numbers = figure.of(variant);
  if (!numbers.value) {
    out += "null";
  } else if (figure.style == ComparisonFigure::Style::kCount) {
    append_number(out, static_cast<int64_t>(std::llround(numbers.value->front())));
  } else if (figure.style == ComparisonFigure::Style::kInterval) {
    out += "[";
    append_number(out, numbers.value->front());
    out += ", ";
    append_number(out, numbers.value->back());
    out += "]";
  } else {
    append_number(out, numbers.value->front());
  }
}

void append_figures(std::string& out, const VariantComparison& variant,
                    const std::vector<Section>& sections) {
  const char* separator = "";
  for (const ComparisonFigure& figure : comparison_figures()) {
    bool wanted = false;
    for (const Section section : sections) wanted = wanted || figure.section == section;
    if (!wanted) continue;
    out += separator;
    append_figure(out, figure, variant);
    separator = ", ";
  }
}

/// Whether a test looked at all patterns of signs.
template <typename Test>
void append_exact(std::string& out, const char* key, const Figure<Test>& test) {
  out += std::string(", \"") + key + "\": ";
  out += !test.value ? "null" : test.value->exact ? "true" : "false";
}

void append_variant(std::string& out, const VariantComparison& variant) {
  out += "{\"variant\": ";
  append_json_string(out, variant.variant);
  out += ", ";
  append_figures(out, variant, {Section::kVariant});
  out += ",\n     \"paired\": ";
  if (variant.paired) {
    out += "{";
    append_figures(out, variant, {Section::kDifference, Section::kTest});
    append_exact(out, "sign_flip_exact", variant.paired->sign_flip);
    append_exact(out, "wilcoxon_exact", variant.paired->wilcoxon);
    out += ", \"decided_by\": ";
    out += variant.paired->is_decided_by_rank() ? "\"wilcoxon\"" : "\"sign_flip\"";
    out += "}";
  } else {
    out += "null";
  }
  if (variant.unpaired) {
    out += ",\n     \"unpaired\": {\"reason\": ";
    append_json_string(out, variant.why_unpaired);
    out += ", ";
    append_figures(out, variant, {Section::kUnpaired});
    out += "}";
  }
  out += "}";
}

void append_comparison(std::string& out, const Comparison& comparison, bool with_group,
                       std::vector<std::string> notes) {
  out += "{\"metric\": ";
  append_json_string(out, comparison.metric);
  if (with_group) {
    out += ", \"group\": ";
    append_json_string(out, comparison.group);
  }
  out += ", \"higher_is_better\": ";
  out += !comparison.higher_is_better ? "null" : *comparison.higher_is_better ? "true" : "false";
  out += ",\n \"baseline\": ";
  append_json_string(out, comparison.baseline);
  out += ", \"paired_by\": ";
  out += comparison.unit == Unit::kSeed ? "\"seed\"" : "\"seed and cell\"";
  out += ", \"cells\": ";
  append_texts(out, comparison.cells, "  ");
  out += ",\n \"variants\": [";
  const char* separator = "\n    ";
  for (const VariantComparison& variant : comparison.variants) {
    out += separator;
    append_variant(out, variant);
    separator = ",\n    ";
  }
  out += "],\n \"notes\": ";
  std::vector<std::string> all = plain_words(comparison);
  all.insert(all.end(), notes.begin(), notes.end());
  append_texts(out, all, "   ");
  out += "}";
}

}  // namespace

std::string comparison_json(const std::vector<Comparison>& comparisons, const std::string& by,
                            const std::vector<std::string>& notes) {
  std::string out;
  if (by.empty()) {
    append_comparison(out, comparisons.front(), false, notes);
    return out + "\n";
  }
  out += "{\"by\": ";
  append_json_string(out, by);
  out += ",\n\"tables\": [";
  const char* separator = "\n";
  for (const Comparison& comparison : comparisons) {
    out += separator;
    append_comparison(out, comparison, true, {});
    separator = ",\n";
  }
  out += "],\n\"notes\": ";
  append_texts(out, notes, "  ");
  return out + "}\n";
}

}  // namespace qkvlab
