#pragma once

#include <string>
#include <vector>

#include "report/text_block.hpp"
#include "report/text_style.hpp"
#include "statistics/curves.hpp"

namespace qkvlab {

/// Curves over steps, to be drawn together.
struct Plot {
  struct Line {
    std::string name;
    Curve curve;
  };
  std::string title;
  std::vector<Line> lines;
};

/// The columns and lines of a picture; its title and the numbers of its lower axis come on top.
struct PlotRoom {
  size_t columns = 80;
  size_t lines = 17;  // one more than a multiple of 4 spreads the numbers evenly
};

/// The plot as text: its title, and a picture with numbers along its axes. A curve has a letter of
/// its own, which stands on it at some places, and there a vertical bar spans the 95 % interval of
/// its mean; "*" is where letters meet. The axis of values is logarithmic, and the title says so,
/// where all means are positive and the largest is 100 times the smallest or more. Of one step
/// alone there is no picture.
TextBlock text_plot(const Plot& plot, const PlotRoom& room, const TextStyle& style);

/// The letter of a plot's line, from 0 on: a, b, …, z, A, …, Z, and from the start again.
char letter_of_line(size_t line);

}  // namespace qkvlab
