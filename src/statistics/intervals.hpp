#pragma once

#include <vector>

#include "statistics/figure.hpp"

namespace qkvlab {

// Two-sided confidence intervals of one sample, one value per seed. `confidence` is within (0, 1)
// (checked).

/// Of the mean, by Student's t with n − 1 degrees of freedom. Where all values are equal it is that
/// point. Unknown below two values, and where one is infinite.
Figure<Interval> mean_interval(const std::vector<double>& values, double confidence = 0.95);

/// Of the median, free of any assumption on the distribution: from the k-th smallest to the k-th
/// largest value with the largest k for which a fair coin falls heads k to n − k times in n throws
/// with probability `confidence` or more (David & Nagaraja, Order Statistics, 2003, section 7.1).
/// So it covers more often than asked, and not at all below six values at 95 %: then it is unknown,
/// as it is where an end is infinite.
Figure<Interval> median_interval(const std::vector<double>& values, double confidence = 0.95);

}  // namespace qkvlab
