#pragma once

#include <cstdint>
#include <vector>

#include "statistics/figure.hpp"

namespace qkvlab {

/// Up to this many differences that are not zero the distribution of the statistic is computed; the
/// work grows with the cube of the number, and is 10 ms here.
constexpr int64_t kExactWilcoxon = 300;

struct Wilcoxon {
  double p = 1;
  double statistic = 0;  // the smaller of the rank sums of the positive and of the negative ones
  bool exact = true;
};

/// Wilcoxon's two-sided signed-rank test of paired differences. Zeros are dropped, and magnitudes
/// that are `tied`, each to the smallest of its group and relative to itself or to `values_size`
/// (the largest magnitude of the values that the differences were made of), share the mean of their
/// ranks. Up to kExactWilcoxon differences p is exact, ties or not: the share of all patterns of
/// signs of these very ranks with a statistic at most the observed one. Beyond, it comes from the
/// normal distribution with the variance corrected for ties, and no continuity correction.
///
/// Differences may be ±infinity (one run of the pair diverged): they share the largest ranks. All
/// zero: p = 1. Unknown without differences, and where one is NaN.
Figure<Wilcoxon> wilcoxon_signed_rank(const std::vector<double>& differences,
                                      double values_size = 0);

/// The smallest p that wilcoxon_signed_rank can give for `n` ≥ 1 differences (checked) where it is
/// exact: 2^(1−n).
double smallest_wilcoxon_p(int64_t n);

}  // namespace qkvlab
