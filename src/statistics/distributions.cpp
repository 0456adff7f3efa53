#include "statistics/distributions.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/error.hpp"

namespace qkvlab {

double student_t_quantile(double p, double df) {
  require(p > 0 && p < 1 && df > 0, "a quantile of Student's t needs 0 < p < 1 and df > 0");
  return boost::math::quantile(boost::math::students_t(df), p);
}

double student_t_two_sided_p(double t, double df) {
  require(df > 0, "Student's t needs df > 0");
  // Of the tail itself: 1 − cdf would lose the digits of small probabilities.
  return 2 * boost::math::cdf(boost::math::students_t(df), -std::abs(t));
}

double normal_quantile(double p) {
  require(p > 0 && p < 1, "a quantile of the normal distribution needs 0 < p < 1");
  return boost::math::quantile(boost::math::normal(), p);
}

double normal_cdf(double z) { return boost::math::cdf(boost::math::normal(), z); }

double fair_coin_cdf(int64_t heads, int64_t n) {
  require(n >= 1, "a coin must be thrown");
  if (heads < 0) return 0;
  if (heads >= n) return 1;
  return boost::math::cdf(boost::math::binomial(static_cast<double>(n), 0.5),
                          static_cast<double>(heads));
}

double paired_t_power(double d_z, int64_t n, double alpha) {
  require(std::isfinite(d_z) && n >= 2 && alpha >= 1e-4 && alpha < 1,
          "power needs a finite d_z, n >= 2 and 1e-4 <= alpha < 1");
  const auto df = static_cast<double>(n - 1);
  const double critical = student_t_quantile(1 - alpha / 2, df);
  const double shift = std::abs(d_z) * std::sqrt(static_cast<double>(n));
  // T is (Z + shift) / S, and S above 10 is less likely than 1e-22 even with one degree of freedom.
  // So the power is 1 to the last bit, where the series of the non-central t would need millions of
  // terms.
  if (shift > 10 * (critical + 1)) return 1;
  const boost::math::non_central_t statistic(df, shift);
  const double upper = boost::math::cdf(boost::math::complement(statistic, critical));
  return std::min(1.0, upper + boost::math::cdf(statistic, -critical));
}

}  // namespace qkvlab
