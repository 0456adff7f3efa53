#pragma once

#include <cstdint>
#include <vector>

namespace qkvlab {

/// Plain numbers from a generator that costs nothing to seed, so that each example of a task can
/// have its own: SplitMix64 (Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number
/// Generators"). The same on every machine.
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}

  /// 64 random bits.
  uint64_t bits();

  /// A whole number from 0 to `end` - 1, each as likely as the others; `end` is 1 to 2³².
  int64_t below(int64_t end);

  /// A number within [0, 1): a multiple of 2⁻⁵³.
  double uniform();

  /// `count` different numbers from 0 to `end` - 1; every sequence of them is as likely as the
  /// others. Takes `end` bits of memory for a while.
  std::vector<int64_t> distinct(int64_t end, int64_t count);

 private:
  uint64_t state_;
};

}  // namespace qkvlab
