#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "record/recorded_runs.hpp"
#include "statistics/figure.hpp"

namespace qkvlab {

/// What several runs of one variant say at one step.
struct CurvePoint {
  int64_t step = 0;
  int64_t n = 0;                 // runs with a finite value there
  int64_t not_finite = 0;        // runs whose value there is not finite: left out of the mean
  std::optional<double> mean;    // of those n; nothing where n is 0
  std::optional<Interval> band;  // 95 % of that mean, by Student's t; nothing where n is below 2
};

/// Ascending in step.
using Curve = std::vector<CurvePoint>;

/// The curve of runs that differ in their seed. A step that not all of them have (some diverged, or
/// are still running) is of those that have it. Where a run has a step twice, its last value
/// counts.
Curve curve_of(const std::vector<const Series*>& runs);

/// At most `most` (at least 4, checked) of the points, so that no peak is lost: all where they are
/// no more; else the first, the last, and of each of equal shares of those between the smallest and
/// the largest. What is not finite is neither; a share that has nothing
/// else keeps its first point, lest a gap disappear. Takes time in proportion to the points.
Series thin(const Series& series, size_t most);

/// Of curves that are drawn together all keep the same steps, so that each has a point wherever
/// another has one: all where there are at most `most`; else, of each mean and of the ends of each
/// band, what `thin` keeps of a fair share of that number (of at least 4).
std::vector<Curve> thin_together(const std::vector<Curve>& curves, size_t most);

}  // namespace qkvlab
