#pragma once

#include <cstdint>
#include <vector>

#include "statistics/figure.hpp"
#include "statistics/sign_flip.hpp"

namespace qkvlab {

/// The mean of the paired differences in units of their standard deviation (Cohen's d_z). Unknown
/// below two differences, where one is infinite, and where they do not vary but for
/// rounding, relative to themselves or to `values_size` (see sign_flip_test).
Figure<double> d_z(const std::vector<double>& differences, double values_size = 0);

/// The share of differences (variant − baseline) for the better; those of zero count half. They may
/// be ±infinity. Unknown without differences, and where one is NaN.
Figure<double> improvement_probability(const std::vector<double>& differences,
                                       bool higher_is_better);

/// The smallest p that sign_flip_test can give for `n` ≥ 1 differences (checked): 2^(1−n) where it
/// is exact, else 1 / (m + 1) of `resamples` = m ≥ 1 (checked). Above 5 % no result can be
/// significant.
double smallest_sign_flip_p(int64_t n, int64_t resamples = kSignFlipResamples);

/// How many seeds a paired two-sided t test at level `alpha` needs to find an effect of `d_z` with
/// probability `power`, within (0, 1) (checked), by paired_t_power, which limits `alpha`: at
/// least 2. Unknown for an effect of zero or not finite, and beyond 10⁹ seeds.
Figure<int64_t> seeds_for_power(double d_z, double power = 0.8, double alpha = 0.05);

}  // namespace qkvlab
