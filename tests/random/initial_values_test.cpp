#include "random/initial_values.hpp"

#include <cmath>

#include "support/tensors.hpp"

namespace qkvlab {
namespace {

TEST(InitialValues, UnderTorchStreamLayersStartAsLibTorchsOwn) {
  torch::manual_seed(9);
  const torch::nn::Embedding embedding(11, 5);
  const torch::nn::Linear linear(5, 7);
  const at::Tensor position = at::randn({1, 3, 5}) * 0.02;

  const RandomSource source(RandomScheme::kTorchStream, 9);
  const InitialValues initial(source);
  EXPECT_TRUE(same(initial.embedding("embedding.weight", 11, 5), embedding->weight.detach()));
  EXPECT_TRUE(same(initial.linear_weight("linear.weight", 7, 5), linear->weight.detach()));
  EXPECT_TRUE(same(initial.linear_bias("linear.bias", 7, 5), linear->bias.detach()));
  EXPECT_TRUE(same(initial.normal("position", {1, 3, 5}, 0.02), position));
}

TEST(InitialValues, EveryWidthHasPyTorchsBoundToTheLastBit) {
  for (int64_t in = 1; in <= 130; ++in) {
    torch::manual_seed(static_cast<uint64_t>(in));
    const torch::nn::Linear linear(in, 3);
    const RandomSource source(RandomScheme::kTorchStream, static_cast<uint64_t>(in));
    const InitialValues initial(source);
    EXPECT_TRUE(same(initial.linear_weight("weight", 3, in), linear->weight.detach())) << in;
    EXPECT_TRUE(same(initial.linear_bias("bias", 3, in), linear->bias.detach())) << in;
  }
}

TEST(InitialValues, KeyedValuesBelongToTheFullPath) {
  const RandomSource source(RandomScheme::kKeyed, 4);
  const InitialValues root(source);
  const InitialValues nested = root.submodule("blocks").submodule("0").submodule("attention");
  EXPECT_EQ(nested.path(), "blocks.0.attention.");
  EXPECT_EQ(root.path(), "");
  const at::Tensor expected =
      at::randn({2, 3}, source.generator("blocks.0.attention.weight")) * 0.5;
  EXPECT_TRUE(same(nested.normal("weight", {2, 3}, 0.5), expected));
}

TEST(InitialValues, UnderGpt2AreThoseOfInitNormal) {
  torch::manual_seed(9);
  const auto drawn = [](at::IntArrayRef shape, double deviation) {
    return torch::nn::init::normal_(at::empty(shape), 0, deviation);
  };
  const at::Tensor table = drawn({11, 5}, 0.02);
  const at::Tensor weight = drawn({7, 50}, 0.02);
  const at::Tensor residual = drawn({50, 7}, 0.02 / std::sqrt(6.0));

  const RandomSource source(RandomScheme::kTorchStream, 9);
  const InitialValues initial =
      InitialValues(source, {InitScheme::kGpt2, /*layers=*/3}).submodule("a").submodule("b");
  EXPECT_TRUE(same(initial.embedding("table", 11, 5), table));
  EXPECT_TRUE(same(initial.linear_weight("weight", 7, 50), weight));
  EXPECT_TRUE(same(initial.linear_bias("bias", 7, 50), at::zeros({7})));  // draws nothing
  EXPECT_TRUE(same(initial.linear_weight("residual", 50, 7, /*residual=*/true), residual));
}

TEST(InitialValues, TheResidualRoleChangesNothingUnderTorch) {
  const RandomSource source(RandomScheme::kKeyed, 9);
  const InitialValues initial(source, {InitScheme::kTorch, /*layers=*/3});
  EXPECT_TRUE(same(initial.linear_weight("w", 5, 7, true), initial.linear_weight("w", 5, 7)));
}

TEST(InitialValues, ScalesAreThoseOfPyTorchsLayers) {
  const RandomSource source(RandomScheme::kKeyed, 4);
  const InitialValues initial(source);
  const double bound = 1 / std::sqrt(16.0);
  for (const at::Tensor& x :
       {initial.linear_weight("weight", 1000, 16), initial.linear_bias("bias", 16000, 16)}) {
    EXPECT_LE(largest(x), bound + 1e-7);
    EXPECT_GT(largest(x), 0.99 * bound);
    // A uniform's deviation is bound/√3; of 16000 draws it is off by under 1 %.
    EXPECT_NEAR(x.std().item<double>(), bound / std::sqrt(3.0), 0.02 * bound);
  }
  const at::Tensor table = initial.embedding("table", 1000, 16);
  EXPECT_NEAR(table.std().item<double>(), 1, 0.03);
  EXPECT_NEAR(table.mean().item<double>(), 0, 0.03);
  EXPECT_NEAR(initial.normal("p", {16000}, 0.02).std().item<double>(), 0.02, 0.0006);
}

}  // namespace
}  // namespace qkvlab
