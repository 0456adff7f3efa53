#pragma once

#include <cmath>

#include "support/tensors.hpp"

namespace qkvlab {

/// The mask that dropout draws under keyed randomness, number by number: each 64 bits of the
/// generator decide on two elements, the lower half first.
inline at::Tensor keyed_mask(at::IntArrayRef shape, double share, const at::Generator& generator) {
  at::Tensor mask = at::zeros(shape);
  auto* const values = mask.data_ptr<float>();
  auto* const engine = at::check_generator<at::CPUGeneratorImpl>(generator);
  const double limit = std::round(share * std::pow(2.0, 32)) - std::pow(2.0, 31);
  uint64_t bits = 0;
  for (int64_t i = 0; i < mask.numel(); ++i) {
    bits = i % 2 == 0 ? engine->random64() : bits >> 32;
    values[i] = static_cast<double>(static_cast<int32_t>(bits & 0xFFFFFFFF)) < limit ? 1.0F : 0.0F;
  }
  return mask;
}

}  // namespace qkvlab
