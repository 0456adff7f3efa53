// Linear layers in loops of our own against LibTorch's.
#include "layers/small_linear.hpp"

#include "layers/linear.hpp"
#include "support/finite_difference.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

TEST(SmallLinear, OfASingleModelIsLibTorchsLinear) {
  for (const bool with_bias : {true, false}) {
    const at::Tensor x = normal({60, 5, 19}, 1).requires_grad_();
    const at::Tensor weight = normal({37, 19}, 2).requires_grad_();
    const at::Tensor bias = with_bias ? normal({37}, 3).requires_grad_() : at::Tensor();
    std::vector<at::Tensor> variables = {x, weight};
    if (with_bias) variables.push_back(bias);
    const at::Tensor found = apply_linear(x, weight, bias, /*exact=*/false);
    const at::Tensor expected = at::linear(x, weight, bias);
    EXPECT_TRUE(near(found, expected));
    const auto ours = torch::autograd::grad({weighted_sum(found)}, variables);
    const auto theirs = torch::autograd::grad({weighted_sum(expected)}, variables);
    for (size_t i = 0; i < variables.size(); ++i) EXPECT_TRUE(near(ours[i], theirs[i])) << i;
  }
}

TEST(SmallLinear, AReplicaHasTheBitsOfTheSingleModel) {
  const at::Tensor x = normal({3, 40, 8}, 1), weight = normal({3, 6, 8}, 2);
  const at::Tensor bias = normal({3, 6}, 3);
  const at::Tensor stacked = apply_linear(x, weight, bias);
  for (int64_t r = 0; r < 3; ++r) {
    EXPECT_TRUE(same(stacked[r], apply_linear(x[r], weight[r], bias[r], /*exact=*/false))) << r;
  }
}

TEST(SmallLinear, ExactIsLibTorchsLinearToTheLastBitAndOtherwiseItIsNot) {
  const at::Tensor x = normal({300, 519}, 1), weight = normal({37, 519}, 2);
  const at::Tensor bias = normal({37}, 3), expected = at::linear(x, weight, bias);
  EXPECT_TRUE(same(apply_linear(x, weight, bias, /*exact=*/true), expected));
  const at::Tensor own = apply_linear(x, weight, bias, /*exact=*/false);
  EXPECT_FALSE(same(own, expected)) << "then the first line could not fail";
  EXPECT_LT(largest(own - expected), 1e-3);
}

TEST(SmallLinear, LeavesToLibTorchWhatIsLargeOrOfAnotherType) {
  EXPECT_TRUE(fits_small_linear(at::zeros({256, 256})));
  EXPECT_TRUE(fits_small_linear(at::zeros({3, 512, 128})));
  EXPECT_FALSE(fits_small_linear(at::zeros({257, 256})));
  EXPECT_FALSE(fits_small_linear(at::zeros({4, 4}, at::kDouble)));
  const at::Tensor x = normal({2, 5, 4}, 1, at::kDouble);
  const at::Tensor weight = normal({2, 3, 4}, 2, at::kDouble);
  EXPECT_TRUE(near(apply_linear(x, weight), at::matmul(x, weight.transpose(1, 2)), 1e-12));
}

TEST(SmallLinear, RefusesWhatDoesNotFit) {
  EXPECT_THROW(small_linear(normal({5, 4}, 1), normal({3, 6}, 2), {}), c10::Error);
  EXPECT_THROW(small_linear(normal({2, 5, 4}, 1), normal({3, 3, 4}, 2), {}), c10::Error);
  EXPECT_THROW(small_linear(normal({5, 4}, 1), normal({3, 4}, 2), normal({4}, 3)), c10::Error);
}

}  // namespace
}  // namespace qkvlab
