#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "layers/tensor_values.hpp"

namespace qkvlab {
namespace {

TEST(TensorValues, ValuesComeRowByRowWhateverTheLayout) {
  const at::Tensor a = torch::tensor({{1.0F, 2.0F}, {3.0F, 4.0F}});
  EXPECT_EQ(float_values(a.t()), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(double_values(a.requires_grad_()), (std::vector<double>{1, 2, 3, 4}));
}

TEST(TensorValues, ADigestIsThatOfTheBytesAndNotOfTheLayout) {
  const at::Tensor a = torch::tensor({{1.0F, 2.0F}, {3.0F, 4.0F}});
  const std::vector<float> bytes = {1, 2, 3, 4};
  const std::string_view raw(reinterpret_cast<const char*>(bytes.data()), 16);
  EXPECT_EQ(digest({a}), xxh3_64_hex(raw));
  EXPECT_EQ(digest({a.t().contiguous().t()}), digest({a}));
  EXPECT_NE(digest({a.t()}), digest({a}));
  EXPECT_EQ(digest({a[0], at::Tensor(), a[1]}), digest({a}));
}

}  // namespace
}  // namespace qkvlab
