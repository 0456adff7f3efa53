#include "layers/loss_loops.hpp"

#include <cmath>
#include <limits>

#include "layers/fast_exp.hpp"
#include "layers/vectorised.hpp"

namespace qkvlab {

namespace {

struct CrossEntropyRows {
  template <typename Arithmetic>
  static QKVLAB_INLINE float run(const float* logits, const int64_t* targets, int64_t rows,
                                 int64_t classes, float* gradient) {
    int64_t supervised = 0;
    for (int64_t i = 0; i < rows; ++i) supervised += targets[i] >= 0 ? 1 : 0;
    const float share = supervised == 0 ? 0 : 1 / static_cast<float>(supervised);
    double total = 0;
    for (int64_t i = 0; i < rows; ++i) {
      const float* row = logits + i * classes;
      float* slope = gradient + i * classes;
      if (targets[i] < 0) {
        for (int64_t j = 0; j < classes; ++j) slope[j] = 0;
        continue;
      }
      float highest = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : highest)
      for (int64_t j = 0; j < classes; ++j) highest = row[j] > highest ? row[j] : highest;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t j = 0; j < classes; ++j) {
        slope[j] = fast_exp<Arithmetic>(row[j] - highest);
        sum += slope[j];
      }
      // The target's own distance first: highest + log(sum) would round a small loss away.
      total += std::log(sum) - (row[targets[i]] - highest);
#pragma omp simd
      for (int64_t j = 0; j < classes; ++j) slope[j] *= share / sum;
      slope[targets[i]] -= share;
    }
    return static_cast<float>(total * static_cast<double>(share));
  }
};

}  // namespace

float cross_entropy_rows(const float* logits, const int64_t* targets, int64_t rows, int64_t classes,
                         float* gradient) {
  return run_vectorised<CrossEntropyRows>(logits, targets, rows, classes, gradient);
}

}  // namespace qkvlab
