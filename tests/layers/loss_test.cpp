#include "layers/loss.hpp"

#include <cmath>

#include "support/finite_difference.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

// Logits ln 1, ln 2, ln 5 have the probabilities 1/8, 2/8, 5/8.
at::Tensor eighths() {
  return at::tensor({0.0, std::log(2.0), std::log(5.0)}, at::kDouble).to(at::kFloat);
}

at::Tensor ids(at::ArrayRef<int64_t> values) { return at::tensor(values, at::kLong); }

TEST(CrossEntropy, IsTheMeanOfMinusLogProbability) {
  const at::Tensor logits = at::stack({eighths(), eighths()});
  const double expected = (std::log(8.0) + std::log(8.0 / 5)) / 2;
  EXPECT_NEAR(cross_entropy(logits, ids({0, 2})).item<double>(), expected, 1e-6);
}

TEST(CrossEntropy, AddingAConstantToLogitsChangesNothing) {
  const at::Tensor logits = eighths().unsqueeze(0);
  EXPECT_NEAR(cross_entropy(logits + 80, ids({1})).item<double>(), std::log(4.0), 1e-5);
}

TEST(CrossEntropy, UnsupervisedPositionsCountNeitherInSumNorInMean) {
  const at::Tensor logits = at::stack({eighths(), eighths() * 3, eighths()}).unsqueeze(0);
  const at::Tensor targets = ids({0, kUnsupervised, 2}).unsqueeze(0);
  const double expected = (std::log(8.0) + std::log(8.0 / 5)) / 2;
  EXPECT_NEAR(cross_entropy(logits, targets).item<double>(), expected, 1e-6);
}

TEST(CrossEntropy, WithoutAnySupervisedPositionIsZeroWithZeroGradient) {
  for (const int64_t replicas : {0, 2}) {
    const at::Tensor logits = normal({2, 3, 4}, 1).requires_grad_();
    const at::Tensor loss =
        cross_entropy(logits, at::full({2, 3}, kUnsupervised, at::kLong), replicas);
    EXPECT_EQ(largest(loss), 0);
    loss.sum().backward();
    EXPECT_TRUE(same(logits.grad(), at::zeros({2, 3, 4})));
  }
}

TEST(CrossEntropy, OfReplicasIsEachReplicasOwnMean) {
  const at::Tensor logits = normal({3, 2, 4, 5}, 1);  // [R, B, T, K]
  at::Tensor targets = whole_numbers(5, {3, 2, 4}, 2);
  targets[0][0][1] = kUnsupervised;  // replicas supervise 7, 1 and 0 positions
  targets[1].view(-1).narrow(0, 1, 7).fill_(kUnsupervised);
  targets[2].fill_(kUnsupervised);
  const at::Tensor losses = cross_entropy(logits, targets, 3);
  ASSERT_EQ(losses.sizes(), at::IntArrayRef({3}));
  for (int64_t r = 0; r < 3; ++r) {
    double sum = 0;
    double count = 0;
    const at::Tensor log_p = at::log_softmax(logits[r].to(at::kDouble), -1);
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t t = 0; t < 4; ++t) {
        const int64_t target = targets[r][b][t].item<int64_t>();
        if (target == kUnsupervised) continue;
        sum -= log_p[b][t][target].item<double>();
        ++count;
      }
    }
    EXPECT_NEAR(losses[r].item<double>(), count == 0 ? 0 : sum / count, 1e-6) << r;
  }
}

TEST(CrossEntropy, TargetsMayBeTheSameForAllReplicas) {
  const at::Tensor logits = normal({3, 2, 4, 5}, 1);
  const at::Tensor targets = whole_numbers(5, {2, 4}, 2);
  const at::Tensor losses = cross_entropy(logits, targets, 3);
  for (int64_t r = 0; r < 3; ++r) {
    EXPECT_TRUE(near(losses[r], cross_entropy(logits[r], targets))) << r;
  }
}

TEST(CrossEntropy, OfReplicasHasEachReplicasOwnGradient) {
  const at::Tensor logits = (normal({3, 6, 20}, 1) * 5).requires_grad_();
  at::Tensor targets = whole_numbers(20, {3, 6}, 2);
  targets[0][1] = targets[1][5] = kUnsupervised;
  weighted_sum(cross_entropy(logits, targets, 3)).backward();
  const at::Tensor weights = normal({3}, 77);  // as weighted_sum has them
  for (int64_t r = 0; r < 3; ++r) {
    const at::Tensor own = logits[r].detach().requires_grad_();
    (cross_entropy(own, targets[r]) * weights[r]).backward();
    EXPECT_TRUE(near(logits.grad()[r], own.grad())) << r;
  }
}

TEST(CrossEntropy, OfReplicasRefusesTargetsThatAreNoClass) {
  const at::Tensor logits = normal({2, 3, 4}, 1);
  for (const int64_t target : {int64_t{4}, int64_t{-1}}) {
    EXPECT_THROW(cross_entropy(logits, at::full({3}, target, at::kLong), 2), c10::Error) << target;
    at::Tensor own = at::zeros({2, 3}, at::kLong);
    own[1][2] = target;
    EXPECT_THROW(cross_entropy(logits, own, 2), c10::Error) << target;
  }
}

TEST(CrossEntropy, OfOneReplicaKeepsTheReplicaDimension) {
  const at::Tensor logits = normal({1, 2, 4}, 1);
  const at::Tensor targets = whole_numbers(4, {2}, 2);
  EXPECT_TRUE(
      near(cross_entropy(logits, targets, 1), cross_entropy(logits[0], targets).unsqueeze(0)));
}

TEST(CrossEntropy, GradientsAgreeWithFiniteDifferences) {
  for (const int64_t replicas : {0, 2}) {
    const at::Tensor logits = normal({2, 3, 4}, 1, at::kDouble).requires_grad_();
    at::Tensor targets = whole_numbers(4, {2, 3}, 2);
    targets[1][2] = kUnsupervised;
    EXPECT_TRUE(gradients_agree(
        {logits}, [&] { return weighted_sum(cross_entropy(logits, targets, replicas)); }));
  }
}

TEST(Accuracy, IsTheShareOfSupervisedPositionsThatAreRight) {
  // The largest logits are those of 2, 0, 1, 2.
  const at::Tensor logits =
      at::tensor({0., 1., 2., 2., 1., 0., 0., 3., 1., -2., -3., -1.}).to(at::kFloat).view({4, 3});
  EXPECT_FLOAT_EQ(accuracy(logits, ids({2, 0, 1, 2})).item<float>(), 1);
  EXPECT_FLOAT_EQ(accuracy(logits, ids({2, 1, 0, 0})).item<float>(), 0.25);
  EXPECT_FLOAT_EQ(accuracy(logits, ids({2, kUnsupervised, 0, kUnsupervised})).item<float>(), 0.5);
  EXPECT_EQ(accuracy(logits, at::full({4}, kUnsupervised, at::kLong)).item<float>(), 0);
}

TEST(Accuracy, OfReplicasIsEachReplicasOwn) {
  const at::Tensor logits = at::eye(3).unsqueeze(0).repeat({2, 1, 1});  // 0, 1, 2 in both
  const at::Tensor targets = ids({0, 1, 2, 0, kUnsupervised, 1}).view({2, 3});
  EXPECT_TRUE(same(accuracy(logits, targets, 2), at::tensor({1.0f, 0.5f})));
  EXPECT_TRUE(near(accuracy(logits, ids({0, 0, 2}), 2), at::full({2}, 2.0 / 3)));
}

}  // namespace
}  // namespace qkvlab
