#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "statistics/figure.hpp"

namespace qkvlab {

/// How many resamples are drawn, if nothing else is asked for.
constexpr int64_t kBootstrapResamples = 9999;

/// A statistic of at least one value, which it gets in ascending order. May be infinite; NaN where
/// it cannot be computed.
using SortedStatistic = std::function<double(const std::vector<double>& sorted)>;

/// The statistic of values in ascending order without each of them in turn (a jackknife).
using LeaveOneOut = std::function<std::vector<double>(const std::vector<double>& sorted)>;

/// Leaves out one value after the other and computes the statistic anew: quadratic in the number of
/// values, for statistics that know no better way.
LeaveOneOut one_by_one(SortedStatistic statistic);

/// How many resamples of n values are drawn where `wanted` are: fewer than that only beyond 10,000
/// values, so that n times as many stays a matter of seconds, and never fewer than 399.
int64_t affordable_resamples(int64_t wanted, int64_t n);

/// The bias-corrected and accelerated bootstrap interval (Efron 1987, "Better bootstrap confidence
/// intervals"): quantiles of the statistic over `resamples` ≥ 1 (checked) samples drawn from
/// `values` with replacement. Which quantiles follows from the share of resamples below the
/// statistic itself (ties count half) and from the skewness of the statistic over the samples that
/// lack one value each; quantiles are interpolated linearly. These are SciPy's conventions. The
/// random bits are those of std::mt19937_64 from `seed`, the same everywhere.
///
/// Each value is one independent unit, that is one seed: values of the same seed (of several
/// evaluations, say) would make the interval too narrow. Values may be ±infinity. `confidence` is
/// within (0, 1) (checked).
///
/// Where all values are equal the interval is that point, since resampling them gives nothing else.
/// That is a statement about these values only: it does not say that the next seed gives the same.
/// Unknown below two values; where a NaN is among them; where leaving out any one value changes
/// nothing or all resamples lie to one side, so that there is no acceleration or no bias
/// correction; where the two come to a quantile beyond all quantiles; and where the statistic or an
/// end is not finite.
Figure<Interval> bca_interval(const std::vector<double>& values, const SortedStatistic& statistic,
                              const LeaveOneOut& without_each, uint64_t seed,
                              int64_t resamples = kBootstrapResamples, double confidence = 0.95);

}  // namespace qkvlab
