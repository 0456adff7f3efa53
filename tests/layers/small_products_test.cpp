// Products of small matrices, however they lie, against plain loops in double.
#include "layers/small_products.hpp"

#include <cmath>

#include "support/tensors.hpp"

namespace qkvlab {
namespace {

MatrixView view_of(const at::Tensor& x) { return {x.data_ptr<float>(), x.stride(0), x.stride(1)}; }

/// The product in a buffer whose rows are two numbers longer than they need be; those two must
/// stay.
at::Tensor product_of(const at::Tensor& a, const at::Tensor& b, const at::Tensor& start = {}) {
  const int64_t m = a.size(0), n = b.size(1);
  const at::Tensor wide = at::full({m, n + 2}, 7.0);
  SmallProducts products;
  products.multiply(m, n, a.size(1), view_of(a), view_of(b), wide.data_ptr<float>(), n + 2,
                    start.defined() ? view_of(start) : MatrixView{});
  EXPECT_TRUE(same(wide.narrow(1, n, 2), at::full({m, 2}, 7.0)));
  return wide.narrow(1, 0, n);
}

at::Tensor expected_product(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor result = at::zeros({a.size(0), b.size(1)}, at::kDouble);
  const auto left = a.accessor<float, 2>(), right = b.accessor<float, 2>();
  auto sums = result.accessor<double, 2>();
  for (int64_t i = 0; i < a.size(0); ++i) {
    for (int64_t j = 0; j < b.size(1); ++j) {
      for (int64_t l = 0; l < a.size(1); ++l) sums[i][j] += double{left[i][l]} * right[l][j];
    }
  }
  return result;
}

TEST(SmallProducts, AreProductsOfEverySizeHoweverTheMatricesLie) {
  for (int64_t m = 1; m <= 13; ++m) {
    for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 31, 33}) {
      for (const int64_t k : {1, 3, 8, 19}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k);
        const at::Tensor a = normal({m, k}, 1), b = normal({k, n}, 2);
        const at::Tensor a_across = normal({k, m}, 3).t(), b_across = normal({n, k}, 4).t();
        const at::Tensor b_apart = normal({k, n, 3}, 5).select(2, 1);
        for (const at::Tensor& left : {a, a_across}) {
          for (const at::Tensor& right : {b, b_across, b_apart}) {
            ASSERT_TRUE(near(product_of(left, right), expected_product(left, right)));
          }
        }
      }
    }
  }
}

TEST(SmallProducts, StartFromAMatrixARowOrWhatIsThere) {
  const at::Tensor a = normal({7, 5}, 1), b = normal({5, 19}, 2);
  const at::Tensor expected = expected_product(a, b);
  const at::Tensor matrix = normal({7, 19}, 3);
  EXPECT_TRUE(near(product_of(a, b, matrix), expected + matrix));
  const at::Tensor bias = normal({19}, 4).expand({7, 19});
  EXPECT_TRUE(near(product_of(a, b, bias), expected + bias));
  const at::Tensor sum = matrix.clone();
  SmallProducts products;
  products.multiply(7, 19, 5, view_of(a), view_of(b), sum.data_ptr<float>(), 19, view_of(sum));
  EXPECT_TRUE(near(sum, expected + matrix));
}

TEST(SmallProducts, AnElementHasTheSameBitsInEveryBatch) {
  const at::Tensor a = normal({29, 40}, 1), b = normal({40, 23}, 2);
  const at::Tensor whole = product_of(a, b);
  for (int64_t i = 0; i < 29; ++i) {
    EXPECT_TRUE(same(product_of(a.narrow(0, i, 1), b), whole.narrow(0, i, 1))) << i;
  }
}

TEST(SmallProducts, ANumberThatIsNoneStaysInItsRowAndColumn) {
  const at::Tensor a = normal({9, 6}, 1), b = normal({6, 21}, 2);
  const at::Tensor before = product_of(a, b);
  a[4][2] = NAN;
  b[3][18] = INFINITY;
  const at::Tensor after = product_of(a, b);
  at::Tensor touched = at::zeros({9, 21}, at::kBool);
  touched[4].fill_(true);
  touched.select(1, 18).fill_(true);
  EXPECT_TRUE(same(after.masked_fill(touched, 0), before.masked_fill(touched, 0)));
  EXPECT_FALSE(after.masked_select(touched).isfinite().any().item<bool>());
}

}  // namespace
}  // namespace qkvlab
