#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include "attention/attend.hpp"
#include "attention/mask_convention.hpp"

namespace qkvlab {
namespace {

at::Tensor masked_softmax(const at::Tensor& allowed) {
  const double minus_infinity = -std::numeric_limits<double>::infinity();
  return torch::softmax(torch::zeros({2, 2}).masked_fill(~allowed, minus_infinity), -1);
}

TEST(MaskConvention, InvertingAMaskChangesTheVerdict) {
  EXPECT_EQ(meaning_of_true(masked_softmax), MaskMeaning::kMayAttend);
  const auto inverted = [](const at::Tensor& mask) { return masked_softmax(~mask); };
  EXPECT_EQ(meaning_of_true(inverted), MaskMeaning::kBlocked);
}

TEST(MaskConvention, AddingAndIgnoringAMaskAreFoundOut) {
  const auto added = [](const at::Tensor& mask) { return torch::softmax(mask.to(at::kFloat), -1); };
  EXPECT_EQ(meaning_of_true(added), MaskMeaning::kAdded);
  const auto ignored = [](const at::Tensor&) { return torch::full({2, 2}, 0.5); };
  EXPECT_EQ(meaning_of_true(ignored), MaskMeaning::kNothing);
}

TEST(MaskConvention, TheFourFunctionsMeanThreeDifferentThings) {
  std::vector<std::pair<std::string, MaskMeaning>> found;
  for (const MaskConvention& one : mask_conventions())
    found.emplace_back(one.function, one.meaning);
  const std::vector<std::pair<std::string, MaskMeaning>> expected = {
      {"qkvlab attend", MaskMeaning::kMayAttend},
      {"torch::nn::MultiheadAttention attn_mask", MaskMeaning::kAdded},
      {"torch::nn::MultiheadAttention key_padding_mask", MaskMeaning::kBlocked},
      {"fused scaled_dot_product_attention", MaskMeaning::kMayAttend},
  };
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace qkvlab
