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

TEST(MaskConvention, OursMeansMayAttendAndKeyPaddingOfMultiheadAttentionTheOpposite) {
  for (const MaskConvention& convention : mask_conventions()) {
    if (convention.function == "qkvlab attend") {
      EXPECT_EQ(convention.meaning, MaskMeaning::kMayAttend);
    }
    if (convention.function == "torch::nn::MultiheadAttention key_padding_mask") {
      EXPECT_EQ(convention.meaning, MaskMeaning::kBlocked);
    }
    EXPECT_NE(convention.meaning, MaskMeaning::kNothing) << convention.function;
  }
}

}  // namespace
}  // namespace qkvlab
