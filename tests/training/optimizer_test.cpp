#include "training/optimizer.hpp"

#include <cmath>

#include "support/training.hpp"

namespace qkvlab {
namespace {

constexpr double kLr = 0.05;

PlainModel model_of(const at::Tensor& weight, const at::Tensor& bias, int64_t replicas = 0) {
  return PlainModel({{"weight", weight.clone()}, {"bias", bias.clone()}}, replicas);
}

/// One parameter under a textbook update, number by number in double precision.
struct Textbook {
  double p, m = 0, v = 0;
  int t = 0;

  void sgd(double g, const SgdConfig& c) {
    g += c.weight_decay * p;
    m = t++ == 0 ? g : c.momentum * m + g;
    p -= kLr * (c.nesterov ? g + c.momentum * m : (c.momentum > 0 ? m : g));
  }
  void adam(double g, double beta1, double beta2, double eps) {
    ++t;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    p -= kLr * (m / (1 - std::pow(beta1, t))) / (std::sqrt(v / (1 - std::pow(beta2, t))) + eps);
  }
  void adamw(double g, const AdamWConfig& c, bool decays) {
    if (decays) p -= kLr * c.weight_decay * p;
    adam(g, c.beta1, c.beta2, c.eps);
  }
};

/// Six steps of the optimiser against six of `update`, for every element.
template <typename Update>
void expect_textbook(const OptimizerConfig& config, const Update& update) {
  PlainModel model = model_of(normal({2, 3}, 1, at::kDouble), normal({2}, 2, at::kDouble));
  std::vector<std::vector<Textbook>> expected;
  for (const at::Tensor& parameter : model.parameters()) {
    expected.emplace_back();
    for (int64_t i = 0; i < parameter.numel(); ++i) {
      expected.back().push_back({parameter.view(-1)[i].item<double>()});
    }
  }
  Optimizer optimizer(config, model);
  for (uint64_t step = 0; step < 6; ++step) {
    set_gradients(model, 10 * step);
    for (size_t which = 0; which < expected.size(); ++which) {
      const at::Tensor gradient = model.parameters()[which].grad().view(-1);
      for (size_t i = 0; i < expected[which].size(); ++i) {
        update(expected[which][i], gradient[static_cast<int64_t>(i)].item<double>(), which == 0);
      }
    }
    optimizer.step(kLr);
  }
  for (size_t which = 0; which < expected.size(); ++which) {
    const at::Tensor actual = model.parameters()[which].view(-1);
    for (size_t i = 0; i < expected[which].size(); ++i) {
      EXPECT_NEAR(actual[static_cast<int64_t>(i)].item<double>(), expected[which][i].p, 1e-12);
    }
  }
}

TEST(Optimizer, SgdIsTheTextbooks) {
  SgdConfig plain;
  expect_textbook(plain, [&](Textbook& x, double g, bool) { x.sgd(g, plain); });
  SgdConfig momentum;
  momentum.momentum = 0.9;
  momentum.weight_decay = 0.1;
  expect_textbook(momentum, [&](Textbook& x, double g, bool) { x.sgd(g, momentum); });
  SgdConfig nesterov;
  nesterov.momentum = 0.8;
  nesterov.nesterov = true;
  expect_textbook(nesterov, [&](Textbook& x, double g, bool) { x.sgd(g, nesterov); });
}

TEST(Optimizer, AdamIsTheTextbooks) {
  AdamConfig config;
  config.beta1 = 0.8;
  config.beta2 = 0.95;
  expect_textbook(config, [&](Textbook& x, double g, bool) {
    x.adam(g, config.beta1, config.beta2, config.eps);
  });
}

TEST(Optimizer, AdamWDecaysMatricesOrAll) {
  AdamWConfig config;
  config.weight_decay = 0.5;
  expect_textbook(config,
                  [&](Textbook& x, double g, bool is_matrix) { x.adamw(g, config, is_matrix); });
  config.decay = Decay::kAll;
  expect_textbook(config, [&](Textbook& x, double g, bool) { x.adamw(g, config, true); });
}

TEST(Optimizer, AReplicaDimensionMakesNoBiasAMatrix) {
  AdamWConfig config;
  config.weight_decay = 0.5;
  const PlainModel model = model_of(at::ones({2, 2, 3}), at::ones({2, 2}), 2);
  Optimizer optimizer(config, model);
  for (const at::Tensor& parameter : model.parameters()) {
    parameter.mutable_grad() = at::zeros_like(parameter);
  }
  optimizer.step(0.1);
  EXPECT_TRUE(near(model.named_parameters()["weight"], at::full({2, 2, 3}, 0.95)));
  EXPECT_TRUE(same(model.named_parameters()["bias"].detach(), at::ones({2, 2})));
}

TEST(Optimizer, NoGradientIsLeftAfterZeroGrad) {
  const PlainModel model = model_of(at::ones({2, 3}), at::ones({2}));
  Optimizer optimizer(SgdConfig{}, model);
  set_gradients(model, 1);
  optimizer.zero_grad();
  for (const at::Tensor& parameter : model.parameters()) {
    EXPECT_FALSE(parameter.grad().defined());
  }
}

std::vector<OptimizerConfig> with_state() {
  SgdConfig momentum;
  momentum.momentum = 0.9;
  return {momentum, AdamConfig{}, AdamWConfig{}};
}

TEST(Optimizer, GoesOnFromItsStateToTheLastBit) {
  for (const OptimizerConfig& config : with_state()) {
    const PlainModel model = model_of(normal({2, 3}, 1), normal({2}, 2));
    Optimizer optimizer(config, model);
    EXPECT_TRUE(optimizer.state().empty());
    for (uint64_t step = 0; step < 3; ++step) {
      set_gradients(model, step);
      optimizer.step(kLr);
    }
    const PlainModel other =
        model_of(model.parameters()[0].detach(), model.parameters()[1].detach());
    Optimizer resumed(config, other);
    resumed.make_state(3);
    const NamedTensors theirs = optimizer.state(), ours = resumed.state();
    ASSERT_EQ(theirs.size(), ours.size());
    ASSERT_FALSE(ours.empty());
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].first, theirs[i].first);
      ours[i].second.copy_(theirs[i].second);
    }
    for (uint64_t step = 3; step < 6; ++step) {
      for (const PlainModel* one : {&model, &other}) set_gradients(*one, step);
      optimizer.step(kLr);
      resumed.step(kLr);
    }
    for (size_t i = 0; i < model.parameters().size(); ++i) {
      EXPECT_TRUE(same(other.parameters()[i].detach(), model.parameters()[i].detach()));
    }
  }
}

TEST(Optimizer, StateIsNamedByKindAndPath) {
  const PlainModel model = model_of(at::ones({2, 3}), at::ones({2}));
  Optimizer optimizer(AdamConfig{}, model);
  set_gradients(model, 1);
  optimizer.step(kLr);
  std::vector<std::string> names;
  for (const auto& [name, value] : optimizer.state()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"exp_avg.weight", "exp_avg.bias", "exp_avg_sq.weight",
                                             "exp_avg_sq.bias"}));
}

}  // namespace
}  // namespace qkvlab
