// The loops that need no LibTorch, on arrays that end where their numbers end, so that sanitizers
// see what they read and write. What they compute with LibTorch around them is tested there.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "attention/head_loops.hpp"
#include "layers/fast_exp.hpp"
#include "layers/loss_loops.hpp"
#include "layers/row_loops.hpp"
#include "layers/small_products.hpp"

namespace qkvlab {
namespace {

using Numbers = std::vector<float>;

Numbers random_numbers(int64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  Numbers numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = normal(random);
  return numbers;
}

MatrixView rows_of(const Numbers& numbers, int64_t columns) { return {numbers.data(), columns, 1}; }

Numbers product_of(int64_t m, int64_t n, int64_t k, const MatrixView& a, const MatrixView& b) {
  Numbers c(static_cast<size_t>(m * n));
  SmallProducts products;
  products.multiply(m, n, k, a, b, c.data(), n);
  return c;
}

double element(const MatrixView& x, int64_t i, int64_t j) {
  return double{x.data[i * x.row + j * x.column]};
}

TEST(Loops, ProductsOfEverySizeAreSumsOfProducts) {
  for (int64_t m = 1; m <= 13; ++m) {
    for (const int64_t n : {1, 2, 3, 4, 5, 8, 11, 16, 17, 31, 33}) {
      for (const int64_t k : {1, 3, 19}) {
        const Numbers a = random_numbers(m * k, 1), b = random_numbers(k * n, 2);
        for (const bool across : {false, true}) {
          const MatrixView left = across ? rows_of(a, m).transposed() : rows_of(a, k);
          const MatrixView right = across ? rows_of(b, k).transposed() : rows_of(b, n);
          const Numbers found = product_of(m, n, k, left, right);
          for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
              double expected = 0;
              for (int64_t l = 0; l < k; ++l)
                expected += element(left, i, l) * element(right, l, j);
              ASSERT_NEAR(element(rows_of(found, n), i, j), expected, 1e-5)
                  << m << " x " << k << " x " << n << " at " << i << ", " << j;
            }
          }
        }
      }
    }
  }
}

// Whichever tile an element is in: the same multiply-adds in the same order.
TEST(Loops, AnElementOfAProductHasTheSameBitsWhateverIsBesideIt) {
  constexpr int64_t kRows = 29, kColumns = 23, kDepth = 40;
  const Numbers a = random_numbers(kRows * kDepth, 1), b = random_numbers(kDepth * kColumns, 2);
  const Numbers whole =
      product_of(kRows, kColumns, kDepth, rows_of(a, kDepth), rows_of(b, kColumns));
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kColumns; ++j) {
      const Numbers alone =
          product_of(1, 1, kDepth, {a.data() + i * kDepth, kDepth, 1}, {b.data() + j, kColumns, 1});
      ASSERT_EQ(alone[0], whole[static_cast<size_t>(i * kColumns + j)]) << i << ", " << j;
    }
  }
}

TEST(Loops, RowsAreGatheredAndAddedWhereTheirIdsSay) {
  constexpr int64_t kWidth = 19;
  const Numbers table = random_numbers(5 * kWidth, 1);
  const std::vector<int64_t> ids = {4, 0, 4, 2};
  Numbers gathered(ids.size() * kWidth);
  gather_rows(table.data(), ids.data(), static_cast<int64_t>(ids.size()), kWidth, gathered.data());
  Numbers sums(table.size());
  scatter_add_rows(gathered.data(), ids.data(), static_cast<int64_t>(ids.size()), kWidth,
                   sums.data());
  const std::vector<float> times = {1, 0, 1, 0, 2};
  for (size_t row = 0; row < times.size(); ++row) {
    for (size_t j = row * kWidth; j < (row + 1) * kWidth; ++j) {
      ASSERT_EQ(sums[j], times[row] * table[j]) << row;
    }
  }
}

TEST(Loops, CrossEntropyIsThatOfSoftmaxAndItsGradientSumsToZero) {
  constexpr int64_t kClasses = 21;
  const std::vector<int64_t> targets = {3, -100, 20, 0};
  const Numbers logits = random_numbers(4 * kClasses, 1);
  Numbers gradient(logits.size());
  const float loss =
      cross_entropy_rows(logits.data(), targets.data(), 4, kClasses, gradient.data());
  double expected = 0;
  for (size_t row = 0; row < targets.size(); ++row) {
    double sum = 0, slopes = 0;
    for (size_t j = row * kClasses; j < (row + 1) * kClasses; ++j) {
      sum += std::exp(double{logits[j]});
      slopes += double{gradient[j]};
    }
    EXPECT_NEAR(slopes, 0, 1e-6) << row;
    if (targets[row] < 0) continue;
    const size_t target = row * kClasses + static_cast<size_t>(targets[row]);
    expected += (std::log(sum) - double{logits[target]}) / 3;
    EXPECT_NEAR(gradient[target], (std::exp(double{logits[target]}) / sum - 1) / 3, 1e-6);
  }
  EXPECT_NEAR(loss, expected, 1e-5);
}

TEST(Loops, HeadsOfEveryLengthWeighTheirKeysAndTheDeadRowsNone) {
  for (const int64_t tokens : {1, 2, 5, 16, 33, 128}) {
    constexpr int64_t kWidth = 7;
    const auto numbers = tokens * kWidth, pairs = tokens * tokens;
    const Numbers q = random_numbers(numbers, 1), k = random_numbers(numbers, 2);
    const Numbers v = random_numbers(numbers, 3), given = random_numbers(numbers, 4);
    const HeadInputs head{rows_of(q, kWidth), rows_of(k, kWidth), rows_of(v, kWidth)};
    const auto allowed = std::make_unique<bool[]>(static_cast<size_t>(pairs));
    for (int64_t i = 0; i < tokens; ++i) {
      for (int64_t j = 0; j < i; ++j) allowed[static_cast<size_t>(i * tokens + j)] = true;
    }
    Numbers weights(static_cast<size_t>(pairs)), context(q.size());
    Numbers dq(q.size()), dk(q.size()), dv(q.size());
    HeadLoops loops(tokens, kWidth);
    loops.forward(head, {allowed.get(), tokens, 1}, nullptr, weights.data(), context.data(),
                  kWidth);
    loops.backward(head, weights.data(), nullptr, rows_of(given, kWidth),
                   {dq.data(), dk.data(), dv.data(), kWidth});
    for (int64_t i = 0; i < tokens; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < tokens; ++j) {
        const double weight = element(rows_of(weights, tokens), i, j);
        ASSERT_TRUE(j < i || weight == 0);
        sum += weight;
      }
      ASSERT_NEAR(sum, i == 0 ? 0 : 1, 1e-5) << tokens << " tokens, query " << i;
    }
    for (const Numbers* gradient : {&dq, &dk, &dv}) {
      for (const float number : *gradient) ASSERT_TRUE(std::isfinite(number));
    }
  }
}

template <typename Arithmetic>
void expect_exponential() {
  for (double x = -86.9; x < 87; x += 0.00137) {
    const auto argument = static_cast<float>(x);
    const double expected = std::exp(double{argument});
    ASSERT_NEAR(fast_exp<Arithmetic>(argument) / expected, 1, 2.4e-7) << x;
  }
  EXPECT_EQ(fast_exp<Arithmetic>(0.0F), 1.0F);
  EXPECT_EQ(fast_exp<Arithmetic>(-INFINITY), 0.0F);
  EXPECT_EQ(fast_exp<Arithmetic>(-1000.0F), 0.0F);
  EXPECT_TRUE(std::isnan(fast_exp<Arithmetic>(NAN)));
}

TEST(FastExp, IsTheExponentialToTwoUnitsInTheLastPlaceHoweverProductsAreRounded) {
  expect_exponential<PlainArithmetic>();
  expect_exponential<FusedArithmetic<8>>();
}

}  // namespace
}  // namespace qkvlab
