#include "statistics/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "statistics/distributions.hpp"
#include "statistics/summary.hpp"
#include "statistics/values.hpp"

namespace qkvlab {

namespace {

Figure<Interval> interval(double low, double high, const char* reason_not_finite) {
  if (!std::isfinite(low) || !std::isfinite(high)) return unknown<Interval>(reason_not_finite);
  return known(Interval{low, high});
}

/// The largest k for which the ranks k and n + 1 − k enclose the median of the population with
/// probability `confidence`; 0 where there is none.
int64_t enclosing_rank(int64_t n, double confidence) {
  // Rank k does where at most k − 1 values below the median are rare enough.
  int64_t does = 0;
  int64_t does_not = n / 2 + 1;
  while (does_not - does > 1) {
    const int64_t k = (does + does_not) / 2;
    (2 * fair_coin_cdf(k - 1, n) <= 1 - confidence ? does : does_not) = k;
  }
  return does;
}

}  // namespace

Figure<Interval> mean_interval(const std::vector<double>& values, double confidence) {
  require(confidence > 0 && confidence < 1, "confidence must be within (0, 1)");
  const std::string fault = fault_of_finite(values, 2);
  if (!fault.empty()) return unknown<Interval>(fault);
  const Summary summary = summary_of(values);
  const auto n = static_cast<double>(summary.n);
  const double reach = student_t_quantile((1 + confidence) / 2, n - 1) * summary.sd / std::sqrt(n);
  return interval(summary.mean - reach, summary.mean + reach, kTooLarge);
}

Figure<Interval> median_interval(const std::vector<double>& values, double confidence) {
  require(confidence > 0 && confidence < 1, "confidence must be within (0, 1)");
  const std::string fault = fault_of_ranked(values, 1);
  if (!fault.empty()) return unknown<Interval>(fault);
  const auto n = static_cast<int64_t>(values.size());
  const int64_t rank = enclosing_rank(n, confidence);
  if (rank == 0) {
    // All n values lie to one side of the median with probability 2^(1−n).
    const auto needed = static_cast<int64_t>(std::ceil(1 - std::log2(1 - confidence)));
    return unknown<Interval>("needs at least " + std::to_string(needed) + " seeds");
  }
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  return interval(sorted[rank - 1], sorted[n - rank], kTooManyDiverged);
}

}  // namespace qkvlab
