#pragma once

#include <string>
#include <vector>

#include "report/text_plot.hpp"
#include "report/text_style.hpp"

namespace qkvlab {

/// The legend of a plot: each curve's letter and name, and where it ends: the last step that has a
/// mean, the mean and its 95 % interval there, and of how many runs it is.
std::string curve_ends(const Plot& plot, const TextStyle& style = {});

/// The legend of plots of the same curves: letter and name, and the last mean in each plot.
std::string last_means(const std::vector<Plot>& plots, const TextStyle& style = {});

}  // namespace qkvlab
