#pragma once

#include <cstdint>
#include <vector>

namespace qkvlab {

/// A matrix of float32 as it lies in memory: element (i, j) at data[i * row + j * column]. Strides
/// may be 0, and may describe a transpose.
struct MatrixView {
  const float* data = nullptr;
  int64_t row = 0;
  int64_t column = 1;

  MatrixView transposed() const { return {data, column, row}; }
};

/// Products of matrices so small that the calls around a BLAS's sgemm cost more than what it does.
/// One core of the reference machine computes 24 × 8 times 8 × 8 at 56 GFLOP/s and 16 × 32 times
/// 32 × 16 at 98 (37 and 50 where the right one must be transposed; LibTorch 1.13's bmm of many
/// such manages 4.5), and 2048 × 256 times 256 × 64 at 115, where OpenBLAS reaches 99.
///
/// An element of a product is summed in the order of k, whatever the sizes: it has the same bits
/// in every batch, and no number but those of its own row and column has a part in it.
class SmallProducts {
 public:
  /// c [m, n] = start + a [m, k] · b [k, n]. `c` lies in rows of `c_row` numbers, and may be what
  /// `start` shows (to add to it) but overlaps nothing else; without data `start` is zero, and its
  /// columns lie side by side whatever its view says.
  void multiply(int64_t m, int64_t n, int64_t k, const MatrixView& a, const MatrixView& b, float* c,
                int64_t c_row, const MatrixView& start = {});

 private:
  std::vector<float> packed_;  // a panel of b
};

}  // namespace qkvlab
