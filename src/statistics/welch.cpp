#include "statistics/welch.hpp"

#include <cmath>

#include "base/error.hpp"
#include "statistics/distributions.hpp"
#include "statistics/summary.hpp"
#include "statistics/values.hpp"

namespace qkvlab {

namespace {

Summary summary_about(double offset, std::vector<double> values) {
  for (double& value : values) value -= offset;
  return summary_of(values);
}

}  // namespace

Figure<Welch> welch_test(const std::vector<double>& a, const std::vector<double>& b,
                         double confidence) {
  require(confidence > 0 && confidence < 1, "confidence must be within (0, 1)");
  for (const std::vector<double>* values : {&a, &b}) {
    const std::string fault = fault_of_finite(*values, 2);
    if (!fault.empty()) return unknown<Welch>(fault);
  }
  const Summary of_a = summary_about(a[0], a);
  const Summary of_b = summary_about(a[0], b);
  const double error_a = of_a.sd / std::sqrt(static_cast<double>(of_a.n));
  const double error_b = of_b.sd / std::sqrt(static_cast<double>(of_b.n));
  const double error = std::hypot(error_a, error_b);
  if (error == 0) return unknown<Welch>("the values do not vary");
  if (!std::isfinite(error)) return unknown<Welch>(kTooLarge);

  Welch test;
  test.difference = of_a.mean - of_b.mean;
  // As shares of the whole variance, so that squares of tiny ones do not vanish.
  const double share_a = (error_a / error) * (error_a / error);
  const double share_b = (error_b / error) * (error_b / error);
  test.df = 1 / (share_a * share_a / static_cast<double>(of_a.n - 1) +
                 share_b * share_b / static_cast<double>(of_b.n - 1));
  const double reach = student_t_quantile((1 + confidence) / 2, test.df) * error;
  test.interval = {test.difference - reach, test.difference + reach};
  test.p = student_t_two_sided_p(test.difference / error, test.df);
  return known(test);
}

}  // namespace qkvlab
