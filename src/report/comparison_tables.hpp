#pragma once

#include <string>

#include "statistics/comparison.hpp"

namespace qkvlab {

/// A comparison as tables for a terminal (variants; their differences to the baseline; tests), its
/// plain words beneath.
std::string comparison_text(const Comparison& comparison);
/// The same in Markdown.
std::string comparison_markdown(const Comparison& comparison);

/// A sentence for the terminal, in lines of at most 100 columns; further ones are indented.
std::string sentence_text(const std::string& sentence);

/// The title line of comparisons as comma-separated values, and the lines of one: a line for each
/// variant, a column for each figure, empty where there is none.
std::string comparison_csv_titles();
std::string comparison_csv(const Comparison& comparison);

}  // namespace qkvlab
