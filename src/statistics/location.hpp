#pragma once

#include <vector>

#include "statistics/figure.hpp"

namespace qkvlab {

// Where the values of one variant lie, one value per seed. Values may be ±infinity: a run that
// diverged stands at the worst end of the ranking.

/// The middle value, or the mean of the two in the middle. Unknown where there is no value, or too
/// many are infinite for it to be finite.
Figure<double> median(const std::vector<double>& values);

/// The mean of the middle half: of n values the ⌊n/4⌋ smallest and the ⌊n/4⌋ largest are left out,
/// as in SciPy's trim_mean(x, 0.25). Unknown as the median is.
Figure<double> interquartile_mean(const std::vector<double>& values);

/// The same of at least one value in ascending order (not checked), without copies, as a statistic
/// to be resampled: infinite where a value of the middle half is, NaN where two are to both sides.
double sorted_interquartile_mean(const std::vector<double>& sorted);

/// The same of at least two values (not checked) without each of them in turn, in one pass.
std::vector<double> interquartile_means_without_each(const std::vector<double>& sorted);

}  // namespace qkvlab
