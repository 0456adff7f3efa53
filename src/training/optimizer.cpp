#include "training/optimizer.hpp"

#include <ATen/ATen.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <sstream>
#include <type_traits>

namespace qkvlab {

namespace {

using torch::optim::OptimizerParamGroup;
using torch::optim::OptimizerParamState;

/// LibTorch's state is kept under the address of a parameter's tensor: as a string in 1.13, as a
/// pointer in 2.x.
template <typename States>
auto key_of(const at::Tensor& parameter, const States&) {
  using Key = typename States::key_type;
  if constexpr (std::is_same_v<Key, std::string>) {
    std::ostringstream address;
    address << parameter.unsafeGetTensorImpl();
    return address.str();
  } else {
    return static_cast<Key>(parameter.unsafeGetTensorImpl());
  }
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const SgdConfig& config,
                                                        const ModelImpl& model) {
  auto options = torch::optim::SGDOptions(config.lr)
                     .momentum(config.momentum)
                     .nesterov(config.nesterov)
                     .weight_decay(config.weight_decay);
  return std::make_unique<torch::optim::SGD>(model.parameters(), options);
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const AdamConfig& config,
                                                        const ModelImpl& model) {
  auto options =
      torch::optim::AdamOptions(config.lr).betas({config.beta1, config.beta2}).eps(config.eps);
  return std::make_unique<torch::optim::Adam>(model.parameters(), options);
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const AdamWConfig& config,
                                                        const ModelImpl& model) {
  auto options = torch::optim::AdamWOptions(config.lr)
                     .betas({config.beta1, config.beta2})
                     .eps(config.eps)
                     .weight_decay(config.weight_decay);
  auto without_decay = std::make_unique<torch::optim::AdamWOptions>(options);
  without_decay->weight_decay(0);
  const int64_t replica_dimensions = model.replicas() > 0 ? 1 : 0;
  std::vector<at::Tensor> decaying, others;
  for (const at::Tensor& parameter : model.parameters()) {
    const bool matrix = parameter.dim() - replica_dimensions >= 2;
    (config.decay == Decay::kAll || matrix ? decaying : others).push_back(parameter);
  }
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(decaying, std::make_unique<torch::optim::AdamWOptions>(options));
  if (!others.empty()) groups.emplace_back(others, std::move(without_decay));
  return std::make_unique<torch::optim::AdamW>(groups, options);
}

template <typename Wanted, typename Member>
at::Tensor member_of(const OptimizerParamState& state, const Member& member) {
  const auto* typed = dynamic_cast<const Wanted*>(&state);
  return typed == nullptr ? at::Tensor() : member(*typed);
}

/// One kind of state, as it is called and where it is found in LibTorch's.
struct StateKind {
  const char* name;
  at::Tensor (*of)(const OptimizerParamState& state);
};

// NOLINTNEXTLINE(*-avoid-c-arrays): a table
const StateKind kStateKinds[] = {
    {"momentum_buffer",
     [](const OptimizerParamState& state) {
       return member_of<torch::optim::SGDParamState>(
           state, [](const auto& typed) { return typed.momentum_buffer(); });
     }},
    {"exp_avg",
     [](const OptimizerParamState& state) {
       const auto of = [](const auto& typed) { return typed.exp_avg(); };
       const at::Tensor adam = member_of<torch::optim::AdamParamState>(state, of);
       return adam.defined() ? adam : member_of<torch::optim::AdamWParamState>(state, of);
     }},
    {"exp_avg_sq",
     [](const OptimizerParamState& state) {
       const auto of = [](const auto& typed) { return typed.exp_avg_sq(); };
       const at::Tensor adam = member_of<torch::optim::AdamParamState>(state, of);
       return adam.defined() ? adam : member_of<torch::optim::AdamWParamState>(state, of);
     }},
};

template <typename State>
std::unique_ptr<OptimizerParamState> zero_moments(const at::Tensor& parameter, int64_t steps) {
  auto state = std::make_unique<State>();
  state->step(steps);
  state->exp_avg(at::zeros_like(parameter));
  state->exp_avg_sq(at::zeros_like(parameter));
  return state;
}

std::unique_ptr<OptimizerParamState> zero_state(const torch::optim::OptimizerOptions& options,
                                                const at::Tensor& parameter, int64_t steps) {
  if (dynamic_cast<const torch::optim::AdamOptions*>(&options) != nullptr) {
    return zero_moments<torch::optim::AdamParamState>(parameter, steps);
  }
  if (dynamic_cast<const torch::optim::AdamWOptions*>(&options) != nullptr) {
    return zero_moments<torch::optim::AdamWParamState>(parameter, steps);
  }
  if (static_cast<const torch::optim::SGDOptions&>(options).momentum() == 0) return nullptr;
  auto state = std::make_unique<torch::optim::SGDParamState>();
  state->momentum_buffer(at::zeros_like(parameter));
  return state;
}

}  // namespace

Optimizer::Optimizer(const OptimizerConfig& config, const ModelImpl& model)
    : model_(model),
      parameters_(model.parameters()),
      optimizer_(
          std::visit([&](const auto& typed) { return make_optimizer(typed, model); }, config)) {}

void Optimizer::zero_grad() {
  for (const at::Tensor& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
}

void Optimizer::step(double lr) {
  for (OptimizerParamGroup& group : optimizer_->param_groups()) group.options().set_lr(lr);
  optimizer_->step();
}

NamedTensors Optimizer::state() const {
  const auto& states = optimizer_->state();
  NamedTensors result;
  for (const StateKind& kind : kStateKinds) {
    for (auto& [path, part] : named_parts(model_, [&](const at::Tensor& parameter) {
           const auto found = states.find(key_of(parameter, states));
           if (found != states.end()) return kind.of(*found->second);
           if (states.empty()) return at::Tensor();
           // LibTorch keeps no state of a parameter that never had a gradient; make_state will.
           const auto zeros =
               zero_state(optimizer_->param_groups().front().options(), parameter, 0);
           return zeros == nullptr ? at::Tensor() : kind.of(*zeros);
         })) {
      if (part.defined()) result.emplace_back(kind.name + ("." + path), part);
    }
  }
  return result;
}

void Optimizer::make_state(int64_t steps) {
  const torch::NoGradGuard no_grad;
  auto& states = optimizer_->state();
  for (OptimizerParamGroup& group : optimizer_->param_groups()) {
    for (const at::Tensor& parameter : group.params()) {
      auto state = zero_state(group.options(), parameter, steps);
      if (state) states[key_of(parameter, states)] = std::move(state);
    }
  }
}

}  // namespace qkvlab
