#include "layers/layer_norm_loops.hpp"

#include <cmath>

#include "layers/vectorised.hpp"

namespace qkvlab {

namespace {

constexpr float kEpsilon = 1e-5F;  // PyTorch's

struct LayerNormRows {
  template <typename Arithmetic>
  static QKVLAB_INLINE void run(const NormRows& norm, float* y, float* means, float* scales) {
    const int64_t width = norm.width;
    const auto count = static_cast<float>(width);
    for (int64_t i = 0; i < norm.rows; ++i) {
      const float* x = norm.x + i * width;
      float* to = y + i * width;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t j = 0; j < width; ++j) sum += x[j];
      const float mean = sum / count;
      float squares = 0;
#pragma omp simd reduction(+ : squares)
      for (int64_t j = 0; j < width; ++j) {
        const float distance = x[j] - mean;
        squares = Arithmetic::multiply_add(distance, distance, squares);
      }
      const float scale = 1 / std::sqrt(squares / count + kEpsilon);
      if (norm.bias == nullptr) {
#pragma omp simd
        for (int64_t j = 0; j < width; ++j) to[j] = (x[j] - mean) * scale * norm.weight[j];
      } else {
#pragma omp simd
        for (int64_t j = 0; j < width; ++j)
          to[j] = Arithmetic::multiply_add((x[j] - mean) * scale, norm.weight[j], norm.bias[j]);
      }
      means[i] = mean;
      scales[i] = scale;
    }
  }
};

struct LayerNormRowsBackward {
  template <typename Arithmetic>
  static QKVLAB_INLINE void run(const NormRows& norm, const float* means, const float* scales,
                                const float* y_gradient, float* x_gradient, float* weight_gradient,
                                float* bias_gradient) {
    const int64_t width = norm.width;
    const auto count = static_cast<float>(width);
    for (int64_t i = 0; i < norm.rows; ++i) {
      const float* x = norm.x + i * width;
      const float* given = y_gradient + i * width;
      float* to = x_gradient + i * width;
      const float mean = means[i], scale = scales[i];
      // With n the normalised row, g the gradient times the weight: s (g − mean(g) − n mean(g n)).
      float sum = 0, along = 0;
#pragma omp simd reduction(+ : sum, along)
      for (int64_t j = 0; j < width; ++j) {
        const float weighted = given[j] * norm.weight[j];
        sum += weighted;
        along = Arithmetic::multiply_add(weighted, (x[j] - mean) * scale, along);
      }
      const float shift = sum / count, slope = along / count;
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) {
        const float normal = (x[j] - mean) * scale;
        const float centred = Arithmetic::multiply_add(given[j], norm.weight[j], -shift);
        to[j] = scale * Arithmetic::multiply_add(-normal, slope, centred);
        weight_gradient[j] = Arithmetic::multiply_add(given[j], normal, weight_gradient[j]);
      }
      if (bias_gradient == nullptr) continue;
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) bias_gradient[j] += given[j];
    }
  }
};

}  // namespace

void layer_norm_rows(const NormRows& norm, float* y, float* means, float* scales) {
  run_vectorised<LayerNormRows>(norm, y, means, scales);
}

void layer_norm_rows_backward(const NormRows& norm, const float* means, const float* scales,
                              const float* y_gradient, float* x_gradient, float* weight_gradient,
                              float* bias_gradient) {
  run_vectorised<LayerNormRowsBackward>(norm, means, scales, y_gradient, x_gradient,
                                        weight_gradient, bias_gradient);
}

}  // namespace qkvlab
