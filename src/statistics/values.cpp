#include "statistics/values.hpp"

#include <algorithm>
#include <cmath>

namespace qkvlab {

std::string fault_of_ranked(const std::vector<double>& values, int64_t at_least) {
  if (static_cast<int64_t>(values.size()) < at_least)
    return at_least == 1 ? "needs at least one seed" : "needs at least two seeds";
  const bool has_nan =
      std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  return has_nan ? "a value is not a number" : "";
}

std::string fault_of_finite(const std::vector<double>& values, int64_t at_least) {
  std::string fault = fault_of_ranked(values, at_least);
  if (!fault.empty()) return fault;
  const bool all_finite =
      std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  return all_finite ? "" : kRunDiverged;
}

}  // namespace qkvlab
