#pragma once

#include <limits>

namespace qkvlab {

/// What is not finite, for tests; as float32, which every place that takes a number takes.
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace qkvlab
