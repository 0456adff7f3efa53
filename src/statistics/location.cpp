#include "statistics/location.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/values.hpp"

namespace qkvlab {

namespace {

Figure<double> of_sorted(double (*statistic)(const std::vector<double>&),
                         std::vector<double> values) {
  const std::string fault = fault_of_ranked(values, 1);
  if (!fault.empty()) return unknown<double>(fault);
  std::sort(values.begin(), values.end());
  const double found = statistic(values);
  return std::isfinite(found) ? known(found) : unknown<double>(kTooManyDiverged);
}

double sorted_median(const std::vector<double>& sorted) {
  const double low = sorted[(sorted.size() - 1) / 2];
  const double high = sorted[sorted.size() / 2];
  return low == high ? low : low / 2 + high / 2;  // the sum of two large ones would overflow
}

}  // namespace

double sorted_interquartile_mean(const std::vector<double>& sorted) {
  const size_t cut = sorted.size() / 4;
  const size_t end = sorted.size() - cut;
  const double low = sorted[cut];
  const double high = sorted[end - 1];
  if (std::isinf(low) || std::isinf(high)) return low + high;
  // About one of the values, so that a large offset costs no digits.
  double sum = 0;
  for (size_t i = cut; i < end; ++i) sum += sorted[i] - low;
  return low + sum / static_cast<double>(end - cut);
}

std::vector<double> interquartile_means_without_each(const std::vector<double>& sorted) {
  const size_t cut = (sorted.size() - 1) / 4;
  // What is left out changes which of the values cut to end are those of the middle: all but one.
  const size_t end = sorted.size() - 1 - cut;
  const double low = sorted[cut], high = sorted[end];
  double sum = 0;  // about one of them, as above
  for (size_t i = cut; i <= end; ++i) sum += sorted[i] - low;
  std::vector<double> means;
  means.reserve(sorted.size());
  for (size_t left_out = 0; left_out < sorted.size(); ++left_out) {
    const double left = sorted[std::clamp(left_out, cut, end)];
    const double lowest = left_out <= cut ? sorted[cut + 1] : low;
    const double highest = left_out >= end ? sorted[end - 1] : high;
    if (std::isinf(lowest) || std::isinf(highest)) {
      means.push_back(lowest + highest);
    } else {
      means.push_back(low + (sum - (left - low)) / static_cast<double>(end - cut));
    }
  }
  return means;
}

Figure<double> median(const std::vector<double>& values) {
  return of_sorted(sorted_median, values);
}

Figure<double> interquartile_mean(const std::vector<double>& values) {
  return of_sorted(sorted_interquartile_mean, values);
}

}  // namespace qkvlab
