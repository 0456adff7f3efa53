#pragma once

#include <vector>

#include "statistics/figure.hpp"
#include "statistics/intervals.hpp"

namespace qkvlab {

struct Welch {
  double difference = 0;  // mean of a − mean of b
  double p = 1;
  double df = 0;
  Interval interval;  // of the difference
};

/// Welch's two-sided t test of two samples that are not paired and may vary differently, with the
/// degrees of freedom of Welch and Satterthwaite (Welch 1947), and the interval of the difference
/// at `confidence`, within (0, 1) (checked). Values may share a large offset; it costs no digits.
///
/// Unknown below two values of either, where one is infinite, and where neither sample varies: then
/// there are no degrees of freedom, and not even unequal means say how likely chance makes them.
Figure<Welch> welch_test(const std::vector<double>& a, const std::vector<double>& b,
                         double confidence = 0.95);

}  // namespace qkvlab
