#include "random/draws.hpp"

#include <cmath>
#include <utility>

namespace qkvlab {

uint64_t Draws::bits() {
  state_ += 0x9E3779B97F4A7C15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

int64_t Draws::below(int64_t end) {
  // Lemire 2019, "Fast Random Integer Generation in an Interval": the upper half of a product of
  // 32-bit numbers, where a lower half that would favour some of them is drawn again.
  constexpr uint64_t kLowerHalf = 0xFFFFFFFF;
  const auto range = static_cast<uint64_t>(end);
  uint64_t product = (bits() >> 32) * range;
  if ((product & kLowerHalf) < range) {
    const uint64_t favoured = (uint64_t{1} << 32) % range;
    while ((product & kLowerHalf) < favoured) product = (bits() >> 32) * range;
  }
  return static_cast<int64_t>(product >> 32);
}

double Draws::uniform() { return std::ldexp(static_cast<double>(bits() >> 11), -53); }

std::vector<int64_t> Draws::distinct(int64_t end, int64_t count) {
  // Floyd's algorithm (Bentley and Floyd 1987) draws the set, a Fisher–Yates shuffle its order.
  std::vector<bool> taken(static_cast<size_t>(end));
  std::vector<int64_t> numbers;
  numbers.reserve(static_cast<size_t>(count));
  for (int64_t last = end - count; last < end; ++last) {
    const int64_t drawn = below(last + 1);
    numbers.push_back(taken[drawn] ? last : drawn);
    taken[numbers.back()] = true;
  }
  for (int64_t i = count - 1; i > 0; --i) std::swap(numbers[i], numbers[below(i + 1)]);
  return numbers;
}

}  // namespace qkvlab
