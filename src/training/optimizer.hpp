#pragma once

#include <torch/optim/optimizer.h>

#include <memory>
#include <vector>

#include "config/training_config.hpp"
#include "layers/named_values.hpp"
#include "model/model.hpp"

namespace qkvlab {

/// LibTorch's optimiser of a config, for one model or for replicas: every update is made element by
/// element, so that replicas do not meet in it. Its state has names, for checkpoints.
class Optimizer {
 public:
  Optimizer(const OptimizerConfig& config, const ModelImpl& model);

  /// Forgets all gradients.
  void zero_grad();

  /// Updates the parameters by their gradients with the rate `lr`.
  void step(double lr);

  /// What it remembers between steps: "exp_avg.<path>" and "exp_avg_sq.<path>" of Adam and AdamW,
  /// "momentum_buffer.<path>" of SGD with momentum, sharing its memory; empty before the first
  /// step.
  NamedTensors state() const;

  /// Makes room for the state after `steps` steps, all zeros, for the caller to fill by way of
  /// state().
  void make_state(int64_t steps);

 private:
  const ModelImpl& model_;
  const std::vector<at::Tensor> parameters_;  // those of the model, as they are stored
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace qkvlab
