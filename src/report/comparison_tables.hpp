#pragma once

#include <string>

#include "report/text_style.hpp"
#include "statistics/comparison.hpp"

namespace qkvlab {

/// A comparison as tables for a terminal (variants; their differences to the baseline; tests), its
/// plain words beneath.
std::string comparison_text(const Comparison& comparison, const TextStyle& style = {});
/// The same in Markdown.
std::string comparison_markdown(const Comparison& comparison);

/// A sentence for the terminal; the lines after the first are indented.
std::string sentence_text(const std::string& sentence, const TextStyle& style);

/// The title line of comparisons as comma-separated values, and the lines of one: a line for each
/// variant, a column for each figure, empty where there is none.
std::string comparison_csv_titles();
std::string comparison_csv(const Comparison& comparison);

}  // namespace qkvlab
