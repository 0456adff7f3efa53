#include "statistics/wilcoxon.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "statistics/distributions.hpp"
#include "statistics/ties.hpp"
#include "statistics/values.hpp"

namespace qkvlab {

namespace {

/// Ranks are doubled: a mean of ranks is a multiple of a half.
struct SignedRanks {
  std::vector<int64_t> ranks;  // in ascending order
  int64_t positive = 0;        // the sum of those of positive differences
  int64_t total = 0;
  double ties = 0;  // Σ (t³ − t) over groups of t tied ones
};

SignedRanks ranks_of(std::vector<double> differences, double values_size) {
  differences.erase(std::remove(differences.begin(), differences.end(), 0.0), differences.end());
  std::sort(differences.begin(), differences.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  SignedRanks found;
  for (size_t first = 0, last = 0; first < differences.size(); first = last) {
    const double smallest = std::abs(differences[first]);
    while (last < differences.size() && tied(smallest, std::abs(differences[last]),
                                             std::max(std::abs(differences[last]), values_size)))
      ++last;
    const auto rank = static_cast<int64_t>(first + 1 + last);
    for (size_t i = first; i < last; ++i) {
      found.ranks.push_back(rank);
      found.total += rank;
      if (differences[i] > 0) found.positive += rank;
    }
    const auto group = static_cast<double>(last - first);
    found.ties += group * (group * group - 1);
  }
  return found;
}

/// The probability that the sum of those of `ranks` that a fair coin picks is at most `most`.
double exact_tail(const std::vector<int64_t>& ranks, int64_t most) {
  std::vector<double> probability(most + 1, 0);  // of each sum up to `most`
  probability[0] = 1;
  for (const int64_t rank : ranks) {
    for (int64_t sum = most; sum >= 0; --sum)
      probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) / 2;
  }
  double tail = 0;
  for (const double of_sum : probability) tail += of_sum;
  return tail;
}

double normal_tail(const SignedRanks& found, double statistic) {
  const auto n = static_cast<double>(found.ranks.size());
  const double mean = n * (n + 1) / 4;
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - found.ties / 48;
  return normal_cdf((statistic - mean) / std::sqrt(variance));
}

}  // namespace

Figure<Wilcoxon> wilcoxon_signed_rank(const std::vector<double>& differences, double values_size) {
  const std::string fault = fault_of_ranked(differences, 1);
  if (!fault.empty()) return unknown<Wilcoxon>(fault);
  const SignedRanks found = ranks_of(differences, values_size);
  const int64_t smaller = std::min(found.positive, found.total - found.positive);
  Wilcoxon test;
  test.statistic = static_cast<double>(smaller) / 2;
  test.exact = static_cast<int64_t>(found.ranks.size()) <= kExactWilcoxon;
  const double tail =
      test.exact ? exact_tail(found.ranks, smaller) : normal_tail(found, test.statistic);
  // The distribution is symmetric: the other tail weighs the same, and both meet in the middle.
  test.p = std::min(1.0, 2 * tail);
  return known(test);
}

double smallest_wilcoxon_p(int64_t n) {
  require(n >= 1, "a signed-rank test needs differences");
  return std::ldexp(1.0, static_cast<int>(1 - n));
}

}  // namespace qkvlab
