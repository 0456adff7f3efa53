#include "training/gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/training.hpp"
#include "training/divergence.hpp"

namespace qkvlab {
namespace {

double square_sum(const at::Tensor& tensor) {
  double sum = 0;
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    const double x = tensor.reshape(-1)[i].item<double>();
    sum += x * x;
  }
  return sum;
}

TEST(Gradients, NormsAreThoseOfAPlainSum) {
  const PlainModel model({{"a", at::ones({3, 4})}, {"b", at::ones({5})}, {"c", at::ones({2})}});
  set_gradients(model, 1);
  model.parameters()[2].mutable_grad() = at::Tensor();
  const NamedTensors norms = gradient_norms(model);
  ASSERT_EQ(norms.size(), 3U);
  const double a = square_sum(model.parameters()[0].grad());
  const double b = square_sum(model.parameters()[1].grad());
  EXPECT_EQ(norms[0].first, "a");
  EXPECT_NEAR(norms[0].second.item<double>(), std::sqrt(a), 1e-5);
  EXPECT_EQ(norms[2].second.item<double>(), 0);
  EXPECT_NEAR(global_norm(model.parameters(), 0).item<double>(), std::sqrt(a + b), 1e-5);
}

TEST(Gradients, EachReplicaIsClippedByItsOwnNorm) {
  const PlainModel model({{"a", at::ones({3, 2, 4})}, {"b", at::ones({3, 5})}}, 3);
  set_gradients(model, 1);
  model.parameters()[0].grad()[1].mul_(100);
  std::vector<at::Tensor> before;
  for (const at::Tensor& parameter : model.parameters()) before.push_back(parameter.grad().clone());
  const at::Tensor norm = global_norm(model.parameters(), 3);
  ASSERT_EQ(norm.sizes(), at::IntArrayRef({3}));
  clip_gradients(model.parameters(), norm, 5);
  for (int64_t r = 0; r < 3; ++r) {
    const double own = std::sqrt(square_sum(before[0][r]) + square_sum(before[1][r]));
    EXPECT_NEAR(norm[r].item<double>(), own, 1e-3 * own);
    for (size_t i = 0; i < before.size(); ++i) {
      const double factor = std::min(1.0, 5 / (own + 1e-6));
      EXPECT_TRUE(near(model.parameters()[i].grad()[r], before[i][r] * factor, 1e-5));
    }
  }
}

TEST(Gradients, OneModelIsClippedAsWhole) {
  const PlainModel model({{"a", at::ones({3, 4})}, {"b", at::ones({5})}});
  set_gradients(model, 1);
  clip_gradients(model.parameters(), global_norm(model.parameters(), 0), 0.5);
  EXPECT_NEAR(global_norm(model.parameters(), 0).item<double>(), 0.5, 1e-5);
  const at::Tensor before = model.parameters()[0].grad().clone();
  clip_gradients(model.parameters(), global_norm(model.parameters(), 0), 10);
  EXPECT_TRUE(same(model.parameters()[0].grad(), before));
}

TEST(Gradients, TheFirstThatIsNotFiniteIsNamedOfTheReplicaThatIsAskedFor) {
  const PlainModel model({{"a", at::ones({2, 4})}, {"b", at::ones({2, 5})}}, /*replicas=*/2);
  set_gradients(model, 1);
  EXPECT_EQ(first_non_finite(model, {1}).front(), "");
  model.parameters()[1].grad()[1][2] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(first_non_finite(model, {1}).front(), "gradient of b");
  const torch::NoGradGuard no_grad;
  model.parameters()[1][1][0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(first_non_finite(model, {1}).front(), "b");
  EXPECT_EQ(first_non_finite(model, {0, 1}), (std::vector<std::string>{"", "b"}));
}

}  // namespace
}  // namespace qkvlab
