#pragma once

#include <cstdint>

namespace qkvlab {

/// The number that Student's t with `df` > 0 degrees of freedom stays below with probability `p`,
/// within (0, 1) (checked).
double student_t_quantile(double p, double df);

/// The probability that |T| is at least |t|, T being Student's t with `df` > 0 degrees of freedom
/// (checked). `t` may be infinite.
double student_t_two_sided_p(double t, double df);

/// The number that a standard normal stays below with probability `p`, within (0, 1) (checked).
double normal_quantile(double p);

/// The probability that a standard normal is at most `z`, which may be infinite.
double normal_cdf(double z);

/// The probability of at most `heads` heads in `n` ≥ 1 throws of a fair coin.
double fair_coin_cdf(int64_t heads, int64_t n);

/// The probability that a paired two-sided t test of `n` ≥ 2 seeds at level `alpha` finds a
/// difference whose mean is `d_z` (finite) standard deviations: both tails of a non-central t with
/// n − 1 degrees of freedom and non-centrality d_z √n (Cohen, Statistical Power Analysis, 1988).
/// `alpha` is at least 1e-4 (checked): below, the series of the distribution takes too many terms.
double paired_t_power(double d_z, int64_t n, double alpha = 0.05);

}  // namespace qkvlab
