#pragma once

#include <set>
#include <string>
#include <vector>

#include "record/recorded_runs.hpp"
#include "report/page_curves.hpp"
#include "report/page_variants.hpp"

namespace qkvlab {

/// A series' name in words: "Gradient norm", "accuracy, test", "Entropy of layer 0, head 1".
std::string metric_words(const std::string& metric);

/// Of the names of series those whose courses are drawn, the compared one first.
std::vector<std::string> drawn_metrics(const std::set<std::string>& metrics,
                                       const std::string& compared);

/// Those of attention's entropies, by layer and head.
std::vector<std::string> entropy_metrics(const Recording& recording);

/// A figure for each metric; a variant without it is left out.
std::vector<CurveFigure> curve_figures(const Recording& recording, const PageVariants& variants,
                                       const std::vector<std::string>& metrics);

}  // namespace qkvlab
