#pragma once

#include <cstdint>
#include <cstring>

#include "layers/vectorised.hpp"

namespace qkvlab {

/// eˣ for x up to 87 within 2 units in the last place, and 0 below -87, in a form that a compiler
/// turns into vector instructions: 2ⁿ times a polynomial on ±ln 2 / 2, with the coefficients of
/// Cephes' expf (Moshier 1989). NaN stays NaN.
template <typename Arithmetic>
QKVLAB_INLINE float fast_exp(float x) {
  constexpr float kLowest = -87.0F, kLog2OfE = 1.44269504F;
  constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 · 2²³: adding it rounds to a whole number
  const float clamped = x < kLowest ? kLowest : x;
  const float rounded = Arithmetic::multiply_add(clamped, kLog2OfE, kRounder);
  const float n = rounded - kRounder;
  const float r =
      Arithmetic::multiply_add(-n, kLn2Low, Arithmetic::multiply_add(-n, kLn2High, clamped));
  float p = 1.9875691500e-4F;
  p = Arithmetic::multiply_add(p, r, 1.3981999507e-3F);
  p = Arithmetic::multiply_add(p, r, 8.3334519073e-3F);
  p = Arithmetic::multiply_add(p, r, 4.1665795894e-2F);
  p = Arithmetic::multiply_add(p, r, 1.6666665459e-1F);
  p = Arithmetic::multiply_add(p, r, 5.0000001201e-1F);
  p = Arithmetic::multiply_add(p * r, r, r) + 1.0F;
  uint32_t bits = 0;
  std::memcpy(&bits, &rounded, sizeof(bits));
  bits = (bits << 23U) + 0x3F800000U;  // the low bits hold n, which becomes the exponent of 2ⁿ
  float power = 0;
  std::memcpy(&power, &bits, sizeof(power));
  return x < kLowest ? 0.0F : p * power;
}

}  // namespace qkvlab
