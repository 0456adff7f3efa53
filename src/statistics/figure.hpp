#pragma once

#include <optional>
#include <string>
#include <utility>

namespace qkvlab {

/// A figure, or the reason why there is none: what cannot be computed is never NaN.
template <typename T>
struct Figure {
  std::optional<T> value;
  std::string reason;  // a plain clause, "needs at least two seeds"; empty where there is a value
};

struct Interval {
  double low = 0;  // either end may be infinite only where a doc comment says so
  double high = 0;
};

template <typename T>
Figure<T> known(T value) {
  return {std::move(value), ""};
}

template <typename T>
Figure<T> unknown(std::string reason) {
  return {std::nullopt, std::move(reason)};
}

}  // namespace qkvlab
