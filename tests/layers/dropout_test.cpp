#include "layers/dropout.hpp"

#include "support/keyed_mask.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

DropoutStep step_of(int64_t step, const std::vector<uint64_t>& seeds,
                    RandomScheme scheme = RandomScheme::kKeyed) {
  DropoutStep result;
  for (const uint64_t seed : seeds) result.sources.emplace_back(scheme, seed);
  result.step = step;
  return result;
}

at::Tensor drop(const at::Tensor& x, double p, const std::string& site, const DropoutStep& step) {
  return dropout(x, p, site, &step);
}

TEST(Dropout, KeepsAndScalesOrZeroes) {
  const at::Tensor x = normal({100, 100}, 1);
  const at::Tensor y = drop(x, 0.25, "site", step_of(1, {3}));
  const at::Tensor kept = y != 0;
  EXPECT_TRUE(near(y, at::where(kept, x / 0.75, at::zeros_like(x))));
  // Of 10000 draws the share has a deviation of 0.0043.
  EXPECT_NEAR(kept.to(at::kDouble).mean().item<double>(), 0.75, 0.02);
}

TEST(Dropout, TheSameStepAndSiteDrawTheSameMask) {
  const at::Tensor x = at::ones({4, 50});
  const at::Tensor first = drop(x, 0.5, "blocks.0.mlp", step_of(7, {3}));
  EXPECT_TRUE(same(drop(x, 0.5, "blocks.0.mlp", step_of(7, {3})), first));
  EXPECT_FALSE(first.equal(drop(x, 0.5, "blocks.0.mlp", step_of(8, {3}))));
  EXPECT_FALSE(first.equal(drop(x, 0.5, "blocks.1.mlp", step_of(7, {3}))));
  EXPECT_FALSE(first.equal(drop(x, 0.5, "blocks.0.mlp", step_of(7, {4}))));
}

TEST(Dropout, TheMaskIsKeyedByStepAndSite) {
  const at::Tensor x = at::ones({4, 50});
  const RandomSource source(RandomScheme::kKeyed, 3);
  const at::Tensor keep = keyed_mask({4, 50}, 0.8, source.generator("dropout/7/a.b"));
  EXPECT_TRUE(near(drop(x, 0.2, "a.b", step_of(7, {3})), keep / 0.8));
}

TEST(Dropout, EachMicroBatchHasMasksOfItsOwn) {
  const at::Tensor x = at::ones({4, 50});
  const RandomSource source(RandomScheme::kKeyed, 3);
  DropoutStep step = step_of(7, {3});
  const at::Tensor first = drop(x, 0.2, "a", step);
  step.micro_batch = 2;
  const at::Tensor keep = keyed_mask({4, 50}, 0.8, source.generator("dropout/7.2/a"));
  EXPECT_TRUE(near(drop(x, 0.2, "a", step), keep / 0.8));
  EXPECT_FALSE(first.equal(drop(x, 0.2, "a", step)));
}

TEST(Dropout, HasItsProbabilityForAnyNumberOfElements) {
  for (const double p : {1e-12, 0.1, 0.9, 1 - 1e-12}) {
    const at::Tensor dropped = drop(at::ones({1001, 101}), p, "a", step_of(1, {3})) == 0;
    // Of n draws the share has a deviation of √(p (1 - p) / n).
    EXPECT_NEAR(dropped.to(at::kDouble).mean().item<double>(), p,
                5 * std::sqrt(p * (1 - p) / 101101) + 1e-9);
  }
  EXPECT_EQ(drop(at::ones({0, 3}), 0.5, "a", step_of(1, {3})).numel(), 0);
}

TEST(Dropout, UnderTorchStreamDropsAsTorchsDropoutAfterManualSeed) {
  const at::Tensor x = normal({4, 50}, 1);
  torch::manual_seed(12);
  const at::Tensor expected = at::dropout(x, 0.3, /*train=*/true);
  EXPECT_TRUE(near(drop(x, 0.3, "a", step_of(1, {12}, RandomScheme::kTorchStream)), expected));
}

TEST(Dropout, AReplicasMaskIsThatOfTheSingleModelWithItsSeed) {
  const at::Tensor x = normal({3, 4, 50}, 1);
  const at::Tensor y = drop(x, 0.5, "a", step_of(7, {3, 9, 4}));
  EXPECT_TRUE(same(y[0], drop(x[0], 0.5, "a", step_of(7, {3}))));
  EXPECT_TRUE(same(y[1], drop(x[1], 0.5, "a", step_of(7, {9}))));
  EXPECT_TRUE(same(y[2], drop(x[2], 0.5, "a", step_of(7, {4}))));
}

TEST(Dropout, AStackOfOneReplicaDropsAsTheSingleModel) {
  const at::Tensor x = normal({1, 4, 50}, 1);
  EXPECT_TRUE(same(drop(x, 0.5, "a", step_of(7, {3}))[0], drop(x[0], 0.5, "a", step_of(7, {3}))));
}

TEST(Dropout, NothingIsDroppedWithoutAStepOrProbability) {
  const at::Tensor x = normal({4, 50}, 1);
  EXPECT_TRUE(dropout(x, 0.5, "a", nullptr).is_same(x));
  EXPECT_TRUE(drop(x, 0, "a", step_of(1, {3})).is_same(x));
}

TEST(Dropout, OfEverythingLeavesZeros) {
  const at::Tensor x = normal({4, 50}, 1);
  EXPECT_TRUE(same(drop(x, 1, "a", step_of(1, {3})), at::zeros({4, 50})));
}

TEST(Dropout, GradientsPassThroughWhatWasKept) {
  const at::Tensor x = normal({4, 50}, 1).requires_grad_();
  const at::Tensor y = drop(x, 0.5, "a", step_of(7, {3}));
  y.sum().backward();
  EXPECT_TRUE(same(x.grad(), (y.detach() != 0).to(at::kFloat) * 2));
}

}  // namespace
}  // namespace qkvlab
