// Linear, Embedding and LayerNorm: as LibTorch's own for one model, and for R stacked replicas as R
// single ones.
#include "layers/embedding.hpp"

#include <functional>

#include "layers/layer_norm.hpp"
#include "layers/linear.hpp"
#include "layers/loss.hpp"
#include "model/replicas.hpp"
#include "support/finite_difference.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kReplicas = 3;

/// Checks a stacked layer against `singles` made alike: outputs for per-replica inputs
/// [R, ...], and gradients of all parameters and of the input.
template <typename Layer>
void expect_replicas_like_singles(const std::vector<Layer>& singles, Layer stacked,
                                  const at::Tensor& inputs) {
  std::vector<const torch::nn::Module*> modules;
  for (const Layer& single : singles) modules.push_back(single.get());
  stack_parameters(*stacked, modules);

  const at::Tensor x = inputs.clone().requires_grad_();
  const at::Tensor y = stacked->forward(x);
  weighted_sum(y).backward();
  const at::Tensor weights = normal(y.sizes(), 77);  // as weighted_sum has them
  for (int64_t r = 0; r < kReplicas; ++r) {
    SCOPED_TRACE(r);
    const at::Tensor own_x = inputs[r].clone().requires_grad_();
    const at::Tensor own_y = singles[r]->forward(own_x);
    EXPECT_TRUE(near(y[r], own_y));
    (own_y * weights[r]).sum().backward();
    EXPECT_TRUE(near(x.grad()[r], own_x.grad()));
    for (const auto& parameter : singles[r]->named_parameters()) {
      SCOPED_TRACE(parameter.key());
      EXPECT_TRUE(
          near(stacked->named_parameters()[parameter.key()].grad()[r], parameter.value().grad()));
    }
  }
}

TEST(Linear, IsLibTorchsLinear) {
  for (const bool bias : {true, false}) {
    torch::nn::Linear theirs(torch::nn::LinearOptions(4, 3).bias(bias));
    const Linear ours(theirs->weight.detach().clone(),
                      bias ? theirs->bias.detach().clone() : at::Tensor());
    for (const at::Tensor& x : {normal({5, 4}, 1), normal({2, 5, 4}, 2)}) {
      EXPECT_TRUE(near(ours->forward(x), theirs->forward(x)));
    }
    EXPECT_EQ(ours->parameters().size(), bias ? 2u : 1u);
  }
}

TEST(Linear, ReplicasComputeWhatSinglesCompute) {
  for (const bool bias : {true, false}) {
    std::vector<Linear> singles;
    for (uint64_t r = 0; r <= kReplicas; ++r) {
      singles.emplace_back(normal({3, 4}, r), bias ? normal({3}, 10 + r) : at::Tensor());
    }
    const Linear stacked = singles.back();
    singles.pop_back();
    expect_replicas_like_singles(singles, stacked, normal({kReplicas, 2, 5, 4}, 50));
  }
}

TEST(LayerNorm, IsLibTorchsLayerNorm) {
  torch::nn::LayerNorm theirs(torch::nn::LayerNormOptions({6}));
  const LayerNorm ours(6, /*with_bias=*/true);
  const at::Tensor x = normal({2, 5, 6}, 1) * 3 + 1;
  EXPECT_TRUE(near(ours->forward(x), theirs->forward(x)));
  const at::NoGradGuard no_gradients;
  for (const auto& module : {ours->parameters(), theirs->parameters()}) {
    module[0].copy_(normal({6}, 2));
    module[1].copy_(normal({6}, 3));
  }
  EXPECT_TRUE(near(ours->forward(x), theirs->forward(x)));
}

TEST(LayerNorm, NormalisesToMeanZeroAndVarianceOne) {
  const at::Tensor y = LayerNorm(50, false)->forward(normal({4, 50}, 1) * 7 + 3).detach();
  EXPECT_TRUE(near(y.mean(-1), at::zeros({4})));
  EXPECT_TRUE(near(y.var(-1, /*unbiased=*/false), at::ones({4}), 1e-5));
}

TEST(LayerNorm, ReplicasComputeWhatSinglesCompute) {
  for (const bool bias : {true, false}) {
    std::vector<LayerNorm> singles;
    for (uint64_t r = 0; r <= kReplicas; ++r) {
      singles.emplace_back(6, bias);
      const at::NoGradGuard no_gradients;
      uint64_t seed = 10 * r;
      for (const at::Tensor& parameter : singles.back()->parameters()) {
        parameter.copy_(normal(parameter.sizes(), seed++));
      }
    }
    const LayerNorm stacked = singles.back();
    singles.pop_back();
    expect_replicas_like_singles(singles, stacked, normal({kReplicas, 2, 5, 6}, 50));
  }
}

class EmbeddingTest : public testing::Test {
 protected:
  EmbeddingTest() {
    for (uint64_t r = 0; r < kReplicas; ++r) {
      const RandomSource source(RandomScheme::kKeyed, r);
      singles.emplace_back(7, 4, InitialValues(source));
    }
    const RandomSource source(RandomScheme::kKeyed, 0);
    std::vector<const torch::nn::Module*> modules;
    for (const Embedding& single : singles) modules.push_back(single.get());
    stacked = Embedding(7, 4, InitialValues(source));
    stack_parameters(*stacked, modules);
  }

  std::vector<Embedding> singles;
  Embedding stacked{nullptr};
};

TEST_F(EmbeddingTest, LooksUpRows) {
  const at::Tensor ids = at::tensor({6, 0, 6}, at::kLong);
  const at::Tensor found = singles[0]->forward(ids);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same(found[i], singles[0]->weight[ids[i].item<int64_t>()]));
  }
}

TEST_F(EmbeddingTest, ReplicasLookUpInTheirOwnTables) {
  const at::Tensor shared = whole_numbers(7, {2, 5}, 1);
  const at::Tensor own = whole_numbers(7, {kReplicas, 2, 5}, 2);
  for (const bool per_replica : {false, true}) {
    SCOPED_TRACE(per_replica ? "own ids" : "shared ids");
    stacked->zero_grad();
    const at::Tensor found = stacked->forward(per_replica ? own : shared);
    ASSERT_EQ(found.sizes(), at::IntArrayRef({kReplicas, 2, 5, 4}));
    weighted_sum(found).backward();
    const at::Tensor weights = normal(found.sizes(), 77);
    for (int64_t r = 0; r < kReplicas; ++r) {
      singles[r]->zero_grad();
      const at::Tensor expected = singles[r]->forward(per_replica ? own[r] : shared);
      EXPECT_TRUE(same(found[r], expected));
      (expected * weights[r]).sum().backward();
      EXPECT_TRUE(near(stacked->weight.grad()[r], singles[r]->weight.grad()));
    }
  }
}

TEST_F(EmbeddingTest, IdsOutsideATableAreRefusedAndReadNoNeighbour) {
  for (const int64_t id : {int64_t{-1}, int64_t{7}}) {
    EXPECT_THROW(stacked->forward(at::full({kReplicas, 1, 1}, id, at::kLong)), c10::Error) << id;
    EXPECT_THROW(stacked->forward(at::full({1, 1}, id, at::kLong)), c10::Error) << id;
  }
  const at::Tensor too_many = at::zeros({kReplicas + 1, 1, 1}, at::kLong);
  EXPECT_THROW(stacked->forward(too_many), c10::Error);
}

TEST(Linear, ReplicasTakeTransposedAndExpandedInputs) {
  // A head tied to a one-hot embedding; one batch for all replicas; columns that lie apart.
  const at::Tensor weight = normal({kReplicas, 4, 3}, 1).transpose(-2, -1).requires_grad_();
  const at::Tensor one = normal({1, 5, 4}, 2).requires_grad_();
  const at::Tensor apart = normal({kReplicas, 4, 5}, 3).transpose(-2, -1).requires_grad_();
  for (const at::Tensor& x : {one.expand({kReplicas, 5, 4}), apart}) {
    const at::Tensor found = apply_linear(x, weight);
    const at::Tensor expected = at::matmul(x, weight.transpose(-2, -1));
    EXPECT_TRUE(near(found, expected));
    const auto gradients_of = [&](const at::Tensor& y) {
      return torch::autograd::grad({weighted_sum(y)}, {x, weight});
    };
    const auto ours = gradients_of(found), theirs = gradients_of(expected);
    EXPECT_TRUE(near(ours[0], theirs[0]));
    EXPECT_TRUE(near(ours[1], theirs[1]));
  }
}

/// What a number that is none in replica 1 of the variables changes in the others: nothing.
void expect_to_stay_in_its_replica(const std::vector<at::Tensor>& variables,
                                   const std::function<at::Tensor()>& compute) {
  const auto others = [](const at::Tensor& x) { return at::stack({x[0], x[2]}); };
  const at::Tensor before = compute();
  const auto gradients_before = torch::autograd::grad({weighted_sum(before)}, variables);
  {
    const at::NoGradGuard no_gradients;
    for (const at::Tensor& variable : variables) variable[1].fill_(NAN);
  }
  const at::Tensor after = compute();
  const auto gradients = torch::autograd::grad({weighted_sum(after)}, variables);
  EXPECT_TRUE(after[1].isnan().any().item<bool>());
  EXPECT_TRUE(same(others(after), others(before)));
  for (size_t i = 0; i < variables.size(); ++i) {
    EXPECT_TRUE(same(others(gradients[i]), others(gradients_before[i]))) << i;
  }
}

TEST(ReplicaDimension, ANumberThatIsNoneStaysInItsReplica) {
  const at::Tensor x = normal({kReplicas, 5, 4}, 1).requires_grad_();
  const at::Tensor weight = normal({kReplicas, 3, 4}, 2).requires_grad_();
  const at::Tensor bias = normal({kReplicas, 3}, 3).requires_grad_();
  expect_to_stay_in_its_replica({x, weight, bias}, [&] { return apply_linear(x, weight, bias); });
  const at::Tensor table = normal({kReplicas, 7, 4}, 4).requires_grad_();
  const at::Tensor ids = whole_numbers(7, {2, 5}, 5);
  expect_to_stay_in_its_replica({table}, [&] { return look_up(table, ids); });
  const at::Tensor logits = normal({kReplicas, 5, 4}, 6).requires_grad_();
  const at::Tensor targets = whole_numbers(4, {5}, 7);
  expect_to_stay_in_its_replica({logits},
                                [&] { return cross_entropy(logits, targets, kReplicas); });
}

TEST(ReplicaDimension, HasTheSameBitsWhateverElseIsStacked) {
  const at::Tensor x = normal({kReplicas, 5, 4}, 1), weight = normal({kReplicas, 3, 4}, 2);
  const at::Tensor bias = normal({kReplicas, 3}, 3), logits = normal({kReplicas, 5, 4}, 4);
  const at::Tensor targets = whole_numbers(4, {5}, 5);
  const at::Tensor y = apply_linear(x, weight, bias);
  const at::Tensor losses = cross_entropy(logits, targets, kReplicas);
  for (int64_t r = 0; r < kReplicas; ++r) {
    const auto alone = [&](const at::Tensor& all) { return all.narrow(0, r, 1); };
    EXPECT_TRUE(same(alone(y), apply_linear(alone(x), alone(weight), alone(bias))));
    EXPECT_TRUE(same(alone(losses), cross_entropy(alone(logits), targets, 1)));
  }
}

TEST(ReplicaDimension, AnActivationWithoutItIsRefusedByEveryLayer) {
  const RandomSource source(RandomScheme::kKeyed, 1);
  const InitialValues initial(source);
  const at::Tensor batch = normal({2 * kReplicas, 4}, 1);
  Linear linear(LinearOptions{4, 4, true}, initial);
  stack_parameters(*linear, {linear.get(), linear.get(), linear.get()});
  EXPECT_THROW(linear->forward(batch), c10::Error);
  LayerNorm norm(4, true);
  stack_parameters(*norm, {norm.get(), norm.get(), norm.get()});
  EXPECT_THROW(norm->forward(batch), c10::Error);
  const at::Tensor targets = at::zeros({2 * kReplicas}, at::kLong);
  EXPECT_THROW(cross_entropy(batch, targets, kReplicas), c10::Error);
  EXPECT_THROW(accuracy(batch, targets, kReplicas), c10::Error);
}

}  // namespace
}  // namespace qkvlab
