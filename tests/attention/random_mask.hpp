#pragma once

#include "support/tensors.hpp"

namespace qkvlab {

/// Each query may attend to about half of the keys, and the first of each sequence to none.
inline at::Tensor random_mask(at::IntArrayRef shape, uint64_t seed) {
  at::Tensor allowed = normal(shape, seed) > 0;
  allowed.select(-2, 0).fill_(false);
  return allowed;
}

}  // namespace qkvlab
