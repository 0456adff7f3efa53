#include "statistics/sign_flip.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.hpp"
#include "statistics/ties.hpp"
#include "statistics/values.hpp"

namespace qkvlab {

namespace {

/// The sums of differences [first, last) under every pattern of signs; bit i of the index says
/// whether difference first + i keeps its own.
std::vector<double> signed_sums(const std::vector<double>& differences, size_t first, size_t last) {
  std::vector<double> sums = {0};
  for (size_t i = first; i < last; ++i) {
    const size_t half = sums.size();
    sums.resize(2 * half);
    for (size_t pattern = 0; pattern < half; ++pattern) {
      sums[half + pattern] = sums[pattern] + differences[i];
      sums[pattern] -= differences[i];
    }
  }
  return sums;
}

/// A sum is as good as a mean: their number is the same for all patterns.
class ObservedSum {
 public:
  ObservedSum(const std::vector<double>& differences, double values_size) {
    for (const double difference : differences) {
      observed_ += difference;
      size_ += std::abs(difference);
    }
    observed_ = std::abs(observed_);
    size_ = std::max(size_, values_size * static_cast<double>(differences.size()));
  }

  double size() const { return size_; }
  bool is_reached_by(double sum) const {
    return std::abs(sum) >= observed_ || tied(std::abs(sum), observed_, size_);
  }

 private:
  double observed_ = 0;
  double size_ = 0;
};

SignFlip exact_test(const std::vector<double>& differences, const ObservedSum& observed) {
  const size_t middle = differences.size() / 2;
  const std::vector<double> left = signed_sums(differences, 0, middle);
  const std::vector<double> right = signed_sums(differences, middle, differences.size());
  int64_t reached = 0;
  for (const double one : left) {
    for (const double other : right) reached += observed.is_reached_by(one + other) ? 1 : 0;
  }
  const auto flips = static_cast<int64_t>(left.size() * right.size());
  return {static_cast<double>(reached) / static_cast<double>(flips), true, flips};
}

SignFlip random_test(const std::vector<double>& differences, const ObservedSum& observed,
                     uint64_t seed, int64_t resamples) {
  // A byte of random bits is an index of a table, so one addition does for eight differences.
  constexpr size_t kBits = 8;
  std::vector<std::vector<double>> tables;
  for (size_t first = 0; first < differences.size(); first += kBits) {
    const size_t last = std::min(first + kBits, differences.size());
    tables.push_back(signed_sums(differences, first, last));
  }
  std::mt19937_64 random(seed);
  int64_t reached = 0;
  for (int64_t resample = 0; resample < resamples; ++resample) {
    double sum = 0;
    uint64_t bits = 0;
    for (size_t i = 0; i < tables.size(); ++i, bits >>= kBits) {
      if (i % (64 / kBits) == 0) bits = random();
      sum += tables[i][bits % tables[i].size()];
    }
    reached += observed.is_reached_by(sum) ? 1 : 0;
  }
  const double p = static_cast<double>(reached + 1) / static_cast<double>(resamples + 1);
  return {p, false, resamples};
}

}  // namespace

Figure<SignFlip> sign_flip_test(const std::vector<double>& differences, uint64_t seed,
                                int64_t resamples, double values_size) {
  require(resamples >= 1, "a Monte Carlo test needs resamples");
  const std::string fault = fault_of_finite(differences, 1);
  if (!fault.empty()) return unknown<SignFlip>(fault);
  const ObservedSum observed(differences, values_size);
  if (!std::isfinite(observed.size())) return unknown<SignFlip>(kTooLarge);
  const bool is_exact = static_cast<int64_t>(differences.size()) <= kExactSignFlips;
  return known(is_exact ? exact_test(differences, observed)
                        : random_test(differences, observed, seed, resamples));
}

}  // namespace qkvlab
