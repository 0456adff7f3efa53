#include "layers/row_loops.hpp"

#include "layers/vectorised.hpp"

namespace qkvlab {

namespace {

struct GatherRows {
  template <typename Arithmetic>
  static QKVLAB_INLINE void run(const float* table, const int64_t* ids, int64_t count,
                                int64_t width, float* to) {
    for (int64_t i = 0; i < count; ++i) {
      const float* row = table + ids[i] * width;
      for (int64_t j = 0; j < width; ++j) to[i * width + j] = row[j];
    }
  }
};

struct ScatterAddRows {
  template <typename Arithmetic>
  static QKVLAB_INLINE void run(const float* from, const int64_t* ids, int64_t count, int64_t width,
                                float* table) {
    for (int64_t i = 0; i < count; ++i) {
      float* row = table + ids[i] * width;
      for (int64_t j = 0; j < width; ++j) row[j] += from[i * width + j];
    }
  }
};

struct SumSquaresOfRows {
  template <typename Arithmetic>
  static QKVLAB_INLINE void run(const float* x, int64_t rows, int64_t width, double* to) {
    for (int64_t i = 0; i < rows; ++i) {
      const float* row = x + i * width;
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t j = 0; j < width; ++j) {
        const double number = row[j];
        sum += number * number;
      }
      to[i] = sum;
    }
  }
};

}  // namespace

void gather_rows(const float* table, const int64_t* ids, int64_t count, int64_t width, float* to) {
  run_vectorised<GatherRows>(table, ids, count, width, to);
}

void scatter_add_rows(const float* from, const int64_t* ids, int64_t count, int64_t width,
                      float* table) {
  run_vectorised<ScatterAddRows>(from, ids, count, width, table);
}

void sum_squares_of_rows(const float* x, int64_t rows, int64_t width, double* to) {
  run_vectorised<SumSquaresOfRows>(x, rows, width, to);
}

}  // namespace qkvlab
