#include "statistics/calibration.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "statistics/bootstrap.hpp"
#include "statistics/distributions.hpp"
#include "statistics/intervals.hpp"
#include "statistics/location.hpp"
#include "statistics/sign_flip.hpp"
#include "statistics/wilcoxon.hpp"

namespace qkvlab {

namespace {

constexpr double kLevel = 0.05;
constexpr double kFarHump = 3;
constexpr double kFarShare = 0.3;
constexpr double kHumpSd = 0.5;

/// Both of two standard normal numbers (Box and Muller 1958).
std::pair<double, double> two_normals(std::mt19937_64& random) {
  const double radius =
      std::sqrt(-2 * std::log(std::ldexp(static_cast<double>(random() >> 11) + 1, -53)));
  const double angle = 2 * std::acos(-1.0) * std::ldexp(static_cast<double>(random() >> 11), -53);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// A standard normal number for each arm, correlated by a half.
std::pair<double, double> correlated_normals(std::mt19937_64& random) {
  const double shared = two_normals(random).first;
  const auto [one, other] = two_normals(random);
  return {std::sqrt(0.5) * (shared + one), std::sqrt(0.5) * (shared + other)};
}

double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0)); }

/// The share of the two-humped values below `x`, and their sum: the integrals of f and of x f.
std::pair<double, double> two_humped_below(double x) {
  double share = 0;
  double sum = 0;
  for (const auto& [hump, weight] :
       {std::pair(0.0, 1 - kFarShare), std::pair(kFarHump, kFarShare)}) {
    const double z = (x - hump) / kHumpSd;
    share += weight * normal_cdf(z);
    sum += weight * (hump * normal_cdf(z) - kHumpSd * density(z));
  }
  return {share, sum};
}

double two_humped_quantile(double p) {
  double low = -10;
  double high = 10;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (two_humped_below(middle).first < p ? low : high) = middle;
  }
  return low;
}

bool covers(const Figure<Interval>& interval, double truth) {
  return interval.value && interval.value->low <= truth && truth <= interval.value->high;
}

}  // namespace

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::kNormal:
      return "normal";
    case Shape::kSkewed:
      return "skewed";
    default:
      return "two-humped";
  }
}

Population population_of(Shape shape) {
  if (shape == Shape::kNormal) return {};
  if (shape == Shape::kSkewed) {
    // ∫ e^z φ(z) dz = √e Φ(z − 1).
    const double quartile = normal_quantile(0.75);
    const double mean = std::exp(0.5);
    return {mean, 1, 2 * mean * (normal_cdf(quartile - 1) - normal_cdf(-quartile - 1))};
  }
  const double lower = two_humped_below(two_humped_quantile(0.25)).second;
  const double upper = two_humped_below(two_humped_quantile(0.75)).second;
  return {kFarShare * kFarHump, two_humped_quantile(0.5), 2 * (upper - lower)};
}

std::pair<double, double> draw_pair(Shape shape, std::mt19937_64& random) {
  const auto [one, other] = correlated_normals(random);
  if (shape == Shape::kNormal) return {one, other};
  if (shape == Shape::kSkewed) return {std::exp(one), std::exp(other)};
  static const double far = normal_quantile(1 - kFarShare);
  const auto [one_more, other_more] = correlated_normals(random);
  return {(one > far ? kFarHump : 0) + kHumpSd * one_more,
          (other > far ? kFarHump : 0) + kHumpSd * other_more};
}

CalibrationCell calibrate(Shape shape, int64_t n, const CalibrationOptions& options) {
  std::mt19937_64 random(options.seed);
  const Population truth = population_of(shape);
  const double weight = 1 / static_cast<double>(options.comparisons);
  CalibrationCell cell;
  cell.shape = shape;
  cell.n = n;
  std::vector<double> values(n);
  std::vector<double> differences(n);
  for (int64_t comparison = 0; comparison < options.comparisons; ++comparison) {
    for (int64_t i = 0; i < n; ++i) {
      const auto [one, other] = draw_pair(shape, random);
      values[i] = other;
      differences[i] = one + options.difference - other;
    }
    const double sign_flip = sign_flip_test(differences, random(), options.flips).value->p;
    const double wilcoxon = wilcoxon_signed_rank(differences).value->p;
    const Figure<Interval> bootstrap =
        bca_interval(values, sorted_interquartile_mean, interquartile_means_without_each, random(),
                     options.resamples);
    if (sign_flip <= kLevel) cell.sign_flip += weight;
    if (wilcoxon <= kLevel) cell.wilcoxon += weight;
    if (covers(mean_interval(differences), 0)) cell.difference += weight;
    if (covers(mean_interval(values), truth.mean)) cell.mean += weight;
    if (covers(median_interval(values), truth.median)) cell.median += weight;
    if (covers(bootstrap, truth.interquartile_mean)) cell.interquartile_mean += weight;
  }
  return cell;
}

double monte_carlo_error(double share, int64_t comparisons) {
  // Sums of weights may pass 1 by rounding.
  return std::sqrt(std::max(0.0, share * (1 - share)) / static_cast<double>(comparisons));
}

std::vector<std::string> missed_bounds(const CalibrationCell& cell, int64_t comparisons) {
  const double wider = std::max(1.0, std::sqrt(1e4 / static_cast<double>(comparisons)));
  std::vector<std::string> missed;
  const auto hold = [&](const std::string& what, double share, double low, double high) {
    if (share >= low && share <= high) return;
    missed.push_back(std::string(name_of(cell.shape)) + ", n = " + std::to_string(cell.n) + ": " +
                     what + " in " + fixed(100 * share, 2) + " %, not in " + fixed(100 * low, 2) +
                     " to " + fixed(100 * high, 2) + " %");
  };
  hold("the sign-flip test rejects", cell.sign_flip, cell.n < 10 ? 0 : kLevel - 0.01 * wider,
       kLevel + 0.007 * wider);
  if (cell.shape == Shape::kNormal) {
    const double covered = 1 - kLevel;
    hold("the t interval of the mean difference covers it", cell.difference, covered - 0.01 * wider,
         covered + 0.01 * wider);
    hold("the t interval of a mean covers it", cell.mean, covered - 0.01 * wider,
         covered + 0.01 * wider);
  }
  return missed;
}

}  // namespace qkvlab
