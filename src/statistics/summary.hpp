#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace qkvlab {

/// Mean and sample standard deviation (divisor n − 1) of some numbers; both NaN where n says that
/// they cannot be computed (0 for the mean, below 2 for the deviation).
struct Summary {
  int64_t n = 0;
  double mean = 0;
  double sd = 0;
};

/// Computed about the mean, so that a large offset costs no digits; of equal numbers the mean is
/// that number and the deviation 0, exactly.
Summary summary_of(const std::vector<double>& values);

/// The differences `values` − `baseline` of the seeds that both have, in the order of the seeds.
std::vector<double> paired_differences(const std::map<int64_t, double>& values,
                                       const std::map<int64_t, double>& baseline);

}  // namespace qkvlab
