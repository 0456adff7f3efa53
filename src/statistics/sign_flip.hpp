#pragma once

#include <cstdint>
#include <vector>

#include "statistics/figure.hpp"

namespace qkvlab {

/// Up to this many differences every pattern of signs is tried.
constexpr int64_t kExactSignFlips = 20;

/// How many random ones are tried beyond that, if nothing else is asked for.
constexpr int64_t kSignFlipResamples = 99999;

struct SignFlip {
  double p = 1;
  bool exact = true;
  int64_t flips = 0;  // patterns of signs that were looked at
};

/// The two-sided sign-flip (one-sample permutation) test: if a variant makes no difference, each
/// paired difference is as likely to have either sign, and p is the share of all patterns of signs
/// whose |mean| is at least the observed one. Exact up to kExactSignFlips differences; beyond,
/// (b + 1) / (m + 1) from `resamples` = m ≥ 1 (checked) random patterns, b of which reach it, which
/// is valid for any m (Phipson & Smyth 2010, "Permutation p-values should never be zero"). The
/// random bits are those of std::mt19937_64 from `seed`, the same everywhere.
///
/// Means are compared by `tied`, relative to the mean of the magnitudes or to `values_size`, the
/// largest magnitude of the values that the differences were made of, if that is more; an outlier
/// 1e10 times the other differences thus swallows these, and p is too large rather than too small.
/// All differences zero: p = 1. Unknown without differences, and where one is not finite.
Figure<SignFlip> sign_flip_test(const std::vector<double>& differences, uint64_t seed,
                                int64_t resamples = kSignFlipResamples, double values_size = 0);

}  // namespace qkvlab
