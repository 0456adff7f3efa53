#include "statistics/effect.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "statistics/distributions.hpp"
#include "statistics/summary.hpp"
#include "statistics/ties.hpp"
#include "statistics/values.hpp"

namespace qkvlab {

Figure<double> d_z(const std::vector<double>& differences, double values_size) {
  const std::string fault = fault_of_finite(differences, 2);
  if (!fault.empty()) return unknown<double>(fault);
  const Summary summary = summary_of(differences);
  const double largest = std::accumulate(
      differences.begin(), differences.end(), values_size,
      [](double size, double difference) { return std::max(size, std::abs(difference)); });
  if (tied(summary.sd, 0, largest)) return unknown<double>("the differences do not vary");
  if (!std::isfinite(summary.sd)) return unknown<double>(kTooLarge);
  return known(summary.mean / summary.sd);
}

Figure<double> improvement_probability(const std::vector<double>& differences,
                                       bool higher_is_better) {
  const std::string fault = fault_of_ranked(differences, 1);
  if (!fault.empty()) return unknown<double>(fault);
  double better = 0;
  for (const double difference : differences) {
    if (difference == 0)
      better += 0.5;
    else if ((difference > 0) == higher_is_better)
      better += 1;
  }
  return known(better / static_cast<double>(differences.size()));
}

double smallest_sign_flip_p(int64_t n, int64_t resamples) {
  require(n >= 1 && resamples >= 1, "a sign-flip test needs differences and resamples");
  if (n <= kExactSignFlips) return std::ldexp(1.0, static_cast<int>(1 - n));
  return 1 / static_cast<double>(resamples + 1);
}

Figure<int64_t> seeds_for_power(double d_z, double power, double alpha) {
  require(power > 0 && power < 1, "power must be within (0, 1)");
  if (d_z == 0) return unknown<int64_t>("there is no difference to find");
  if (!std::isfinite(d_z)) return unknown<int64_t>("the size of the difference is not finite");
  constexpr int64_t kMost = 1000000000;
  const auto does = [&](int64_t n) { return paired_t_power(d_z, n, alpha) >= power; };
  // Begins where many seeds would end (a normal test's number), since each look takes long.
  const double by_normal =
      (normal_quantile(1 - alpha / 2) + normal_quantile(power)) / std::abs(d_z);
  const auto guess = static_cast<int64_t>(std::clamp(by_normal * by_normal, 2.0, 1.0 * kMost));
  int64_t too_few = 1, enough = kMost;
  if (does(guess)) {
    enough = guess;
    for (int64_t step = 2; enough - step > 1; step *= 2) {
      if (!does(enough - step)) {
        too_few = enough - step;
        break;
      }
      enough -= step;
    }
  } else {
    too_few = guess;
    int64_t step = 2;
    for (; too_few + step < kMost && !does(too_few + step); step *= 2) too_few += step;
    enough = std::min(kMost, too_few + step);
    if (enough == kMost && !does(kMost))
      return unknown<int64_t>("would take more than 1,000,000,000 seeds");
  }
  while (enough - too_few > 1) {
    const int64_t n = too_few + (enough - too_few) / 2;
    (paired_t_power(d_z, n, alpha) >= power ? enough : too_few) = n;
  }
  return known(enough);
}

}  // namespace qkvlab
