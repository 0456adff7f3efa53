#include "attention/head_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "layers/fast_exp.hpp"
#include "layers/vectorised.hpp"

namespace qkvlab {

namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// Scores of one query become logarithms of what its weights are proportional to, none above 0.
QKVLAB_INLINE void subtract_highest(float* row, int64_t tokens, float scale, const bool* allowed,
                                    int64_t key) {
  if (allowed != nullptr) {
    for (int64_t j = 0; j < tokens; ++j) row[j] = allowed[j * key] ? row[j] : kMinusInfinity;
  }
  float highest = kMinusInfinity;
#pragma omp simd reduction(max : highest)
  for (int64_t j = 0; j < tokens; ++j) highest = row[j] > highest ? row[j] : highest;
  // Every score is -∞, or NaN, which must not be taken for masked.
  if (highest == kMinusInfinity) highest = 0;
  for (int64_t j = 0; j < tokens; ++j) row[j] = (row[j] - highest) * scale;
}

/// Scores become weights, in place; a row that may attend to nothing becomes zeros.
struct SoftmaxRows {
  template <typename Arithmetic>
  static QKVLAB_INLINE void run(float* rows, int64_t tokens, float scale, HeadMask mask) {
    // Several short rows at once, as one would not fill a vector of exponentials.
    constexpr int64_t kBlock = 256;
    const int64_t block = std::max<int64_t>(kBlock / tokens, 1);
    for (int64_t begin = 0; begin < tokens; begin += block) {
      const int64_t end = std::min(begin + block, tokens);
      for (int64_t i = begin; i < end; ++i) {
        subtract_highest(rows + i * tokens, tokens, scale,
                         mask.allowed == nullptr ? nullptr : mask.allowed + i * mask.query,
                         mask.key);
      }
#pragma omp simd
      for (int64_t j = begin * tokens; j < end * tokens; ++j)
        rows[j] = fast_exp<Arithmetic>(rows[j]);
      for (int64_t i = begin; i < end; ++i) {
        float* row = rows + i * tokens;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < tokens; ++j) sum += row[j];
        const float share = sum == 0 ? 0 : 1 / sum;
        for (int64_t j = 0; j < tokens; ++j) row[j] *= share;
      }
    }
  }
};

/// The gradient of the weights becomes that of the products Q Kᵀ, in place.
struct SoftmaxRowsBackward {
  template <typename Arithmetic>
  static QKVLAB_INLINE void run(float* gradients, const float* weights, const float* factors,
                                int64_t tokens, float scale) {
    if (factors != nullptr) {
      for (int64_t i = 0; i < tokens * tokens; ++i) gradients[i] *= factors[i];
    }
    for (int64_t i = 0; i < tokens; ++i) {
      float* gradient = gradients + i * tokens;
      const float* weight = weights + i * tokens;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t j = 0; j < tokens; ++j) {
        sum = Arithmetic::multiply_add(gradient[j], weight[j], sum);
      }
      for (int64_t j = 0; j < tokens; ++j) gradient[j] = weight[j] * (gradient[j] - sum) * scale;
    }
  }
};

}  // namespace

HeadLoops::HeadLoops(int64_t tokens, int64_t width)
    : tokens_(tokens),
      width_(width),
      scale_(1 / std::sqrt(static_cast<float>(width))),
      scores_gradient_(tokens * tokens) {}

void HeadLoops::forward(const HeadInputs& head, const HeadMask& mask, const float* factors,
                        float* weights, float* context, int64_t context_row) {
  if (head.query.data != nullptr) {
    products_.multiply(tokens_, tokens_, width_, head.query, head.key.transposed(), weights,
                       tokens_);
  } else {
    std::fill_n(weights, tokens_ * tokens_, 0.0F);
  }
  run_vectorised<SoftmaxRows>(weights, tokens_, scale_, mask);
  products_.multiply(tokens_, width_, tokens_, {dropped(weights, factors), tokens_, 1}, head.value,
                     context, context_row);
}

void HeadLoops::backward(const HeadInputs& head, const float* weights, const float* factors,
                         const MatrixView& context_gradient, const HeadGradients& gradients) {
  if (gradients.value != nullptr) {
    const MatrixView given{dropped(weights, factors), tokens_, 1};
    products_.multiply(tokens_, width_, tokens_, given.transposed(), context_gradient,
                       gradients.value, gradients.row);
  }
  if (gradients.query == nullptr && gradients.key == nullptr) return;
  float* scores = scores_gradient_.data();
  products_.multiply(tokens_, tokens_, width_, context_gradient, head.value.transposed(), scores,
                     tokens_);
  run_vectorised<SoftmaxRowsBackward>(scores, weights, factors, tokens_, scale_);
  const MatrixView of_scores{scores, tokens_, 1};
  if (gradients.query != nullptr) {
    products_.multiply(tokens_, width_, tokens_, of_scores, head.key, gradients.query,
                       gradients.row);
  }
  if (gradients.key != nullptr) {
    products_.multiply(tokens_, width_, tokens_, of_scores.transposed(), head.query, gradients.key,
                       gradients.row);
  }
}

const float* HeadLoops::dropped(const float* weights, const float* factors) {
  if (factors == nullptr) return weights;
  dropped_.resize(tokens_ * tokens_);
  for (int64_t i = 0; i < tokens_ * tokens_; ++i) dropped_[i] = weights[i] * factors[i];
  return dropped_.data();
}

}  // namespace qkvlab
