#include "statistics/holm.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace qkvlab {

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&p](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, p[order[i]] * static_cast<double>(order.size() - i));
    adjusted[order[i]] = std::min(1.0, largest);
  }
  return adjusted;
}

HolmLadder::HolmLadder(std::vector<double> p) : sorted_(std::move(p)) {
  std::sort(sorted_.begin(), sorted_.end());
  highest_ = holm(sorted_);
}

double HolmLadder::adjusted(double own, double instead) const {
  if (instead > own) {
    std::vector<double> others = sorted_;
    const auto place = std::lower_bound(others.begin(), others.end(), own);
    *place = instead;
    return holm(others)[place - others.begin()];
  }
  // Those before it stay before it.
  const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), instead) - sorted_.begin();
  const double alone = instead * static_cast<double>(sorted_.size() - place);
  return std::min(1.0, std::max(place == 0 ? 0.0 : highest_[place - 1], alone));
}

}  // namespace qkvlab
