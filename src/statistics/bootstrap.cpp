#include "statistics/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "statistics/distributions.hpp"
#include "statistics/summary.hpp"
#include "statistics/values.hpp"

namespace qkvlab {

namespace {

/// The statistic of `resamples` samples drawn from `sorted` with replacement.
std::vector<double> resampled(const std::vector<double>& sorted, const SortedStatistic& statistic,
                              uint64_t seed, int64_t resamples) {
  const size_t n = sorted.size();
  std::mt19937_64 random(seed);
  std::vector<uint16_t> times(n);  // short, so that those of many values stay in a cache
  std::vector<double> sample(n);
  std::vector<double> found;
  found.reserve(resamples);
  for (int64_t resample = 0; resample < resamples; ++resample) {
    std::fill(times.begin(), times.end(), 0);
    uint64_t bits = 0;
    for (size_t i = 0; i < n; ++i, bits >>= 32) {
      if (i % 2 == 0) bits = random();
      // The upper bits of the product: uniform to within n / 2^32.
      ++times[((bits & 0xffffffff) * n) >> 32];
    }
    // So written it is sorted, without sorting.
    double* next = sample.data();
    for (size_t i = 0; i < n; ++i) {
      for (uint16_t left = times[i]; left > 0; --left) *next++ = sorted[i];
    }
    found.push_back(statistic(sample));
  }
  return found;
}

/// Efron's estimate of how fast the standard error changes with the statistic: a sixth of the
/// skewness of the jackknife's values, with its sign turned.
Figure<double> acceleration_of(const std::vector<double>& jackknife) {
  const double mean = summary_of(jackknife).mean;
  if (!std::isfinite(mean)) return unknown<double>(kTooManyDiverged);
  double largest = 0;
  for (const double value : jackknife) largest = std::max(largest, std::abs(mean - value));
  if (largest == 0) return unknown<double>("leaving out any one seed changes nothing");
  double cubes = 0;
  double squares = 0;
  for (const double value : jackknife) {
    const double deviation = (mean - value) / largest;  // the cubes of tiny ones would vanish
    cubes += deviation * deviation * deviation;
    squares += deviation * deviation;
  }
  return known(cubes / (6 * squares * std::sqrt(squares)));
}

/// The share of `values` below `value`, those that equal it counting half.
double share_below(const std::vector<double>& values, double value) {
  int64_t below_twice = 0;
  for (const double one : values) below_twice += one < value ? 2 : one == value ? 1 : 0;
  return static_cast<double>(below_twice) / (2 * static_cast<double>(values.size()));
}

/// Puts the values into an order of its own.
double quantile(std::vector<double>& values, double p) {
  const double place = p * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const double part = place - std::floor(place);
  if (part == 0) return *below;  // the next one may be infinite, or not there
  return *below + part * (*std::min_element(below + 1, values.end()) - *below);
}

}  // namespace

LeaveOneOut one_by_one(SortedStatistic statistic) {
  return [statistic = std::move(statistic)](const std::vector<double>& sorted) {
    std::vector<double> without(sorted.begin() + 1, sorted.end());
    std::vector<double> found;
    for (size_t left_out = 0; left_out < sorted.size(); ++left_out) {
      found.push_back(statistic(without));
      if (left_out < without.size()) without[left_out] = sorted[left_out];
    }
    return found;
  };
}

int64_t affordable_resamples(int64_t wanted, int64_t n) {
  constexpr int64_t kManyValues = 10'000, kFewest = 399;
  if (n <= kManyValues) return wanted;
  const double share = static_cast<double>(kManyValues) / static_cast<double>(n);
  return std::min(wanted,
                  std::max(kFewest, static_cast<int64_t>(static_cast<double>(wanted) * share)));
}

Figure<Interval> bca_interval(const std::vector<double>& values, const SortedStatistic& statistic,
                              const LeaveOneOut& without_each, uint64_t seed, int64_t resamples,
                              double confidence) {
  require(resamples >= 1, "a bootstrap needs resamples");
  require(confidence > 0 && confidence < 1, "confidence must be within (0, 1)");
  const std::string fault = fault_of_ranked(values, 2);
  if (!fault.empty()) return unknown<Interval>(fault);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double whole = statistic(sorted);
  if (!std::isfinite(whole)) return unknown<Interval>(kTooManyDiverged);
  if (sorted.front() == sorted.back()) return known(Interval{whole, whole});

  const Figure<double> acceleration = acceleration_of(without_each(sorted));
  if (!acceleration.value) return unknown<Interval>(acceleration.reason);
  std::vector<double> found = resampled(sorted, statistic, seed, resamples);
  const bool has_nan =
      std::any_of(found.begin(), found.end(), [](double value) { return std::isnan(value); });
  if (has_nan) return unknown<Interval>(kTooManyDiverged);
  const double share = share_below(found, whole);
  if (share == 0 || share == 1)
    return unknown<Interval>("all resamples lie to one side of the statistic");

  const double bias = normal_quantile(share);
  const double from_low = bias + normal_quantile((1 - confidence) / 2);
  const double from_high = bias + normal_quantile((1 + confidence) / 2);
  const double shrink_low = 1 - *acceleration.value * from_low;
  const double shrink_high = 1 - *acceleration.value * from_high;
  if (shrink_low <= 0 || shrink_high <= 0) return unknown<Interval>("the statistic is too skewed");
  const Interval ends = {quantile(found, normal_cdf(bias + from_low / shrink_low)),
                         quantile(found, normal_cdf(bias + from_high / shrink_high))};
  if (!std::isfinite(ends.low) || !std::isfinite(ends.high))
    return unknown<Interval>(kTooManyDiverged);
  return known(ends);
}

}  // namespace qkvlab
