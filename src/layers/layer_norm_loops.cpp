#include "layers/layer_norm_loops.hpp"

#include <cmath>

#include "layers/vectorised.hpp"

namespace qkvlab {

namespace {

constexpr float kEpsilon = 1e-5F;  // PyTorch's

}  // namespace

QKVLAB_VECTORISED
void layer_norm_rows(const NormRows& norm, float* y, float* means, float* scales) {
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
    for (int64_t j = 0; j < width; ++j) squares += (x[j] - mean) * (x[j] - mean);
    const float scale = 1 / std::sqrt(squares / count + kEpsilon);
    if (norm.bias == nullptr) {
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) to[j] = (x[j] - mean) * scale * norm.weight[j];
    } else {
#pragma omp simd
      for (int64_t j = 0; j < width; ++j)
        to[j] = (x[j] - mean) * scale * norm.weight[j] + norm.bias[j];
    }
    means[i] = mean;
    scales[i] = scale;
  }
}

QKVLAB_VECTORISED
void layer_norm_rows_backward(const NormRows& norm, const float* means, const float* scales,
                              const float* y_gradient, float* x_gradient, float* weight_gradient,
                              float* bias_gradient) {
  const int64_t width = norm.width;
  const auto count = static_cast<float>(width);
  for (int64_t i = 0; i < norm.rows; ++i) {
    const float* x = norm.x + i * width;
    const float* given = y_gradient + i * width;
    float* to = x_gradient + i * width;
    const float mean = means[i], scale = scales[i];
    // With n the normalised row and g the gradient times the weight: s (g − mean(g) − n mean(g n)).
    float sum = 0, along = 0;
#pragma omp simd reduction(+ : sum, along)
    for (int64_t j = 0; j < width; ++j) {
      const float weighted = given[j] * norm.weight[j];
      sum += weighted;
      along += weighted * ((x[j] - mean) * scale);
    }
    const float shift = sum / count, slope = along / count;
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) {
      const float normal = (x[j] - mean) * scale;
      to[j] = scale * (given[j] * norm.weight[j] - shift - normal * slope);
      weight_gradient[j] += given[j] * normal;
    }
    if (bias_gradient == nullptr) continue;
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) bias_gradient[j] += given[j];
  }
}

}  // namespace qkvlab
