#include "layers/small_products.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "layers/vectorised.hpp"

namespace qkvlab {

namespace {

/// `Width` adjacent numbers, of which a compiler makes as many registers as it needs. One by one:
/// GCC takes a vector_size that depends on a template's parameter for something else.
template <int Width>
struct Lanes;
template <>
struct Lanes<1> {
  using Type = float;
};
template <>
struct Lanes<4> {
  using Type = float __attribute__((vector_size(16)));
};
template <>
struct Lanes<8> {
  using Type = float __attribute__((vector_size(32)));
};
template <>
struct Lanes<16> {
  using Type = float __attribute__((vector_size(64)));
};

/// What is the same for every tile of one product.
struct Product {
  int64_t k;
  MatrixView a, b, start;
  float* c;
  int64_t c_row;
};

/// sum += a · b in each lane. GCC makes one instruction of plain loops at times, and dozens at
/// others, so it is told which.
template <typename Arithmetic, int Width, typename Vector = typename Lanes<Width>::Type>
QKVLAB_INLINE void multiply_add(const float& a, const Vector& b, Vector& sum) {
  if constexpr (Width == 1) {
    sum = Arithmetic::multiply_add(a, b, sum);
#if defined(__x86_64__) && !defined(__clang__)
  } else if constexpr (std::is_same_v<Arithmetic, PlainArithmetic>) {
    sum = a * b + sum;
  } else if constexpr (Arithmetic::kLanes < 16) {
    Vector factor;
    __asm__("vbroadcastss %1, %0" : "=x"(factor) : "m"(a));
    __asm__("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(factor), "x"(b));
  } else if constexpr (Width == 16) {
    __asm__("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(b), "m"(a));
  } else if constexpr (Width == 8) {
    __asm__("vfmadd231ps %2%{1to8%}, %1, %0" : "+v"(sum) : "v"(b), "m"(a));
  } else if constexpr (Width == 4) {
    __asm__("vfmadd231ps %2%{1to4%}, %1, %0" : "+v"(sum) : "v"(b), "m"(a));
#endif
  } else {
    for (int lane = 0; lane < Width; ++lane) {
      sum[lane] = Arithmetic::multiply_add(a, b[lane], sum[lane]);
    }
  }
}

/// The `Rows` × `Width` elements of the product from (i, j): as many sums as registers hold.
template <typename Arithmetic, int Rows, int Width>
QKVLAB_INLINE void compute_tile(const Product& p, int64_t i, int64_t j) {
  constexpr int kLanes = std::min(Width, Arithmetic::kLanes), kParts = Width / kLanes;
  using Vector = typename Lanes<kLanes>::Type;
  Vector sum[Rows][kParts];
#pragma GCC unroll 6
  for (int r = 0; r < Rows; ++r) {
    if (p.start.data == nullptr) {
      for (Vector& part : sum[r]) part = Vector{};
    } else {
      std::memcpy(&sum[r], p.start.data + (i + r) * p.start.row + j, sizeof(sum[r]));
    }
  }
  const float* a = p.a.data + i * p.a.row;
  const float* b = p.b.data + j;
  for (int64_t l = 0; l < p.k; ++l) {
    Vector line[kParts];
    std::memcpy(&line, b, sizeof(line));
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int part = 0; part < kParts; ++part) {
        multiply_add<Arithmetic, kLanes>(a[r * p.a.row], line[part], sum[r][part]);
      }
    }
    a += p.a.column;
    b += p.b.row;
  }
#pragma GCC unroll 6
  for (int r = 0; r < Rows; ++r) {
    std::memcpy(p.c + (i + r) * p.c_row + j, &sum[r], sizeof(sum[r]));
  }
}

/// All rows of the columns from j to j + Width.
template <typename Arithmetic, int Width>
QKVLAB_INLINE void compute_columns(const Product& p, int64_t m, int64_t j) {
  int64_t i = 0;
  for (; i + 6 <= m; i += 6) compute_tile<Arithmetic, 6, Width>(p, i, j);
  for (; i + 4 <= m; i += 4) compute_tile<Arithmetic, 4, Width>(p, i, j);
  for (; i + 3 <= m; i += 3) compute_tile<Arithmetic, 3, Width>(p, i, j);
  for (; i < m; ++i) compute_tile<Arithmetic, 1, Width>(p, i, j);
}

struct Compute {
  template <typename Arithmetic>
  static QKVLAB_INLINE void run(const Product& product, int64_t m, int64_t n) {
    const Product p = product;  // here the compiler knows that nothing changes it
    int64_t j = 0;
    for (; j + 16 <= n; j += 16) compute_columns<Arithmetic, 16>(p, m, j);
    for (; j + 8 <= n; j += 8) compute_columns<Arithmetic, 8>(p, m, j);
    for (; j + 4 <= n; j += 4) compute_columns<Arithmetic, 4>(p, m, j);
    for (; j < n; ++j) compute_columns<Arithmetic, 1>(p, m, j);
  }
};

/// Copies x [rows, columns] to adjacent rows, in square blocks, so that a transpose reads and
/// writes whole cache lines.
struct Pack {
  template <typename Arithmetic>
  static QKVLAB_INLINE void run(const MatrixView& x, int64_t rows, int64_t columns, float* packed) {
    if (x.column == 1) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) packed[i * columns + j] = x.data[i * x.row + j];
      }
      return;
    }
    constexpr int64_t kBlock = 16;
    for (int64_t i = 0; i < rows; i += kBlock) {
      const int64_t i_end = i + kBlock < rows ? i + kBlock : rows;
      for (int64_t j = 0; j < columns; ++j) {
        const float* from = x.data + j * x.column;
        for (int64_t l = i; l < i_end; ++l) packed[l * columns + j] = from[l * x.row];
      }
    }
  }
};

}  // namespace

void SmallProducts::multiply(int64_t m, int64_t n, int64_t k, const MatrixView& a,
                             const MatrixView& b, float* c, int64_t c_row,
                             const MatrixView& start) {
  // A panel of b, packed, is 16 KB: it stays in the first cache while all rows of a pass by.
  constexpr int64_t kPanelRows = 256, kPanelColumns = 16, kManyRows = 256;
  const bool packs = b.column != 1 || m >= kManyRows;
  const int64_t columns = packs ? kPanelColumns : n;
  int64_t l = 0;
  do {
    const int64_t depth = std::min(kPanelRows, k - l);
    for (int64_t j = 0; j < n; j += columns) {
      const int64_t width = std::min(columns, n - j);
      Product product{depth, a, b, start, c + j, c_row};
      product.a.data += l * a.column;
      product.b.data += l * b.row + j * b.column;
      if (l > 0) product.start = {c, c_row, 1};
      if (product.start.data != nullptr) product.start.data += j;
      if (packs) {
        packed_.resize(kPanelRows * kPanelColumns);
        run_vectorised<Pack>(product.b, depth, width, packed_.data());
        product.b = {packed_.data(), width, 1};
      }
      run_vectorised<Compute>(product, m, width);
    }
    l += depth;
  } while (l < k);
}

}  // namespace qkvlab
