#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statistics/curves.hpp"

namespace qkvlab {

/// A metric over training steps, of several variants.
struct CurveFigure {
  struct Line {
    std::string variant;
    size_t style = 0;  // see variant_style
    Curve curve;
  };
  std::string metric;  // the series' name
  std::string title;   // in words
  std::vector<Line> lines;
};

/// A figure: its drawing as SVG, the same in words, a table of some of its numbers.
/// `index` is its place in the data that curve_data wrote.
std::string curve_html(const CurveFigure& figure, size_t index);

/// All figures for the page's script: [{"title", "logarithmic", "lines": [{"variant", "style",
/// "steps", "mean", "low", "high"}]}], nine digits a number, all that a recorded one has; of a
/// curve of more points than can be seen the extremes are kept.
std::string curve_data(const std::vector<CurveFigure>& figures);

/// Whether a figure is drawn with a logarithmic axis at first.
bool is_logarithmic(const CurveFigure& figure);

}  // namespace qkvlab
