#pragma once

#include <cmath>
#include <cstdint>

namespace qkvlab {

/// The whole part of `share` × `count`: 29 for 0.29 of 100, although the double nearest to 0.29 is
/// a little less and gives 28.999….
inline int64_t count_of_share(double share, int64_t count) {
  constexpr double kRounding = 1e-12;  // relative; far above that of a product of two doubles
  return static_cast<int64_t>(std::floor(share * static_cast<double>(count) * (1.0 + kRounding)));
}

}  // namespace qkvlab
