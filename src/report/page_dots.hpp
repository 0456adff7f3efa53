#pragma once

#include <string>
#include <vector>

#include "report/page_variants.hpp"
#include "statistics/comparison.hpp"

namespace qkvlab {

/// Every unit of a comparison as a dot, since means hide what comes in two humps: its values in all
/// variants, joined by a line; its differences to the baseline, with the mean and its interval; and
/// the numbers as a table. A unit's drawings and row carry its place as `data-unit`. Of very many
/// units the first are drawn, and the page says so.
std::string dots_html(const Comparison& comparison, const PageVariants& variants);

/// How far dots stand beside their row's middle, so that none covers another: those within a dot's
/// width of each other, as places along the row go, stack up evenly around the middle, closer where
/// they would leave the row of that half height.
std::vector<double> swarm(const std::vector<double>& places, double width, double half_height);

}  // namespace qkvlab
