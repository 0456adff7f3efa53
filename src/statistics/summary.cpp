#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qkvlab {

Summary summary_of(const std::vector<double>& values) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Summary summary;
  summary.n = static_cast<int64_t>(values.size());
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  summary.mean = values.empty() ? kUnknown : sum / n;
  // What rounding has taken from the sum; it also makes the mean of equal numbers that number.
  double rest = 0;
  for (const double value : values) rest += value - summary.mean;
  if (std::isfinite(rest)) summary.mean += rest / n;
  // Relative to the largest, so that squares of tiny ones do not vanish.
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value - summary.mean));
  double squares = 0;
  for (const double value : values) {
    const double deviation = largest > 0 ? (value - summary.mean) / largest : 0;
    squares += deviation * deviation;
  }
  summary.sd = values.size() < 2 ? kUnknown : largest * std::sqrt(squares / (n - 1));
  return summary;
}

std::vector<double> paired_differences(const std::map<int64_t, double>& values,
                                       const std::map<int64_t, double>& baseline) {
  std::vector<double> differences;
  for (const auto& [seed, value] : values) {
    const auto found = baseline.find(seed);
    if (found != baseline.end()) differences.push_back(value - found->second);
  }
  return differences;
}

}  // namespace qkvlab
