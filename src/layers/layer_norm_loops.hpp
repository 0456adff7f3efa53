#pragma once

#include <cstdint>

namespace qkvlab {

/// Layer normalisation of rows of `width` adjacent float32 numbers: y = (x − m) · s · weight + bias
/// with m the mean of a row and s = 1 / √(variance + 1e-5). What becomes of a row depends on no
/// other row.
struct NormRows {
  const float* x = nullptr;       // [rows, width]
  const float* weight = nullptr;  // [width]
  const float* bias = nullptr;    // [width]; may be null
  int64_t rows = 0, width = 0;
};

/// `means` and `scales` get m and s of each row.
void layer_norm_rows(const NormRows& norm, float* y, float* means, float* scales);

/// From the gradient of y to that of x, given what layer_norm_rows() said; the gradients of weight
/// and bias (where there is one) are added to, row by row.
void layer_norm_rows_backward(const NormRows& norm, const float* means, const float* scales,
                              const float* y_gradient, float* x_gradient, float* weight_gradient,
                              float* bias_gradient);

}  // namespace qkvlab
