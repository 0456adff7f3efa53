#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace qkvlab {

// Simulated comparisons without a true difference, by which it is seen how often the tests cry wolf
// and the intervals miss. The functions under test are those of src/statistics/.

/// What the values of one arm are distributed like.
///
/// An arm's value is made of standard normal numbers, each √½ times one that both arms of a seed
/// share plus √½ times one of the arm's own: pairing by seed takes half of the variance of these
/// out, and the arms are exchangeable.
enum class Shape {
  kNormal,     // such a number z
  kSkewed,     // e^z: lognormal
  kTwoHumped,  // one z tells which hump, 3 with probability 0.3 or else 0, and 0.5 times another is
               // added
};
constexpr std::array<Shape, 3> kShapes = {Shape::kNormal, Shape::kSkewed, Shape::kTwoHumped};

const char* name_of(Shape shape);

/// What is true of an arm's values. Median and quartiles are those of the distribution function;
/// the mean between the quartiles is in closed form.
struct Population {
  double mean = 0;
  double median = 0;
  double interquartile_mean = 0;
};
Population population_of(Shape shape);

/// The values of two arms for one seed.
std::pair<double, double> draw_pair(Shape shape, std::mt19937_64& random);

struct CalibrationOptions {
  int64_t comparisons = 10000;
  uint64_t seed = 0;
  int64_t flips = 9999;      // of the sign-flip test where it is not exact
  int64_t resamples = 1999;  // of the bootstrap
  double difference =
      0;  // added to the first arm: what is simulated is then not what bounds expect
};

/// Shares of the comparisons of `n` seeds each. An interval that is unknown covers nothing.
struct CalibrationCell {
  Shape shape = Shape::kNormal;
  int64_t n = 0;
  double sign_flip = 0;  // p at most 5 %
  double wilcoxon = 0;
  double difference = 0;  // true mean difference within its t interval
  double mean = 0;        // of the second arm, by its t interval
  double median = 0;
  double interquartile_mean = 0;  // by the BCa interval
};
CalibrationCell calibrate(Shape shape, int64_t n, const CalibrationOptions& options);

/// The standard error of a share of `comparisons`.
double monte_carlo_error(double share, int64_t comparisons);

/// What `cell` must hold and does not, in a sentence each: the sign-flip test rejects in 5.7 % at
/// most, and in 4 % at least from ten seeds on; both t intervals of normal values cover in 94 to 96
/// %. With fewer than 10,000 comparisons these bounds are as much wider as the Monte Carlo error.
std::vector<std::string> missed_bounds(const CalibrationCell& cell, int64_t comparisons);

}  // namespace qkvlab
