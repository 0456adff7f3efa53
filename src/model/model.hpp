#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/model_config.hpp"
#include "config/task_config.hpp"
#include "layers/dropout.hpp"
#include "layers/named_values.hpp"
#include "model/token_input.hpp"
#include "random/initial_values.hpp"

namespace qkvlab {

/// What every model is to training. One model, or R replicas side by side
/// (layers/replica_shape.hpp).
class ModelImpl : public torch::nn::Module {
 public:
  /// Logits of a model that gives them for every token: [B, T, K], or where `rows` (int64 [N],
  /// positions in the flattened [B * T]) is defined of those tokens alone: [N, K]; the head
  /// computes no others. Of a model that gives one row per sequence: [B, K], and `rows` must be
  /// undefined. With R replicas [R, …], rows [R, N], or [N] where they are the same for all.
  /// Nothing is dropped where `dropout_step` is null.
  virtual at::Tensor logits(const TokenInput& input, const at::Tensor& rows = {},
                            const DropoutStep* dropout_step = nullptr) const = 0;

  /// The attention weights of every layer, [B, H, T, T] each, with nothing dropped anywhere; empty
  /// in mode `none`.
  virtual std::vector<at::Tensor> attention_weights(const TokenInput& input) const = 0;

  /// Shown a tensor and its name; says whether it wants to see further ones.
  using Visitor = std::function<bool(const std::string& name, const at::Tensor& value)>;

  /// Computes logits() and shows everything on the way to them in the order of computation, then
  /// `logits` and their `probabilities`; ends where `visit` has seen enough. Holds no more than
  /// what one block computes, so that a pass without gradients takes no more memory than one of
  /// training. Each model says its names.
  virtual void visit_intermediates(const TokenInput& input, const at::Tensor& rows,
                                   const DropoutStep* dropout_step, const Visitor& visit) const = 0;

  /// All of them of a pass over every token that drops nothing. What depends on a parameter is part
  /// of the autograd graph: it can retain its gradient.
  NamedTensors intermediates(const TokenInput& input) const;

  /// R, or 0 for a single model.
  virtual int64_t replicas() const = 0;
};

/// Shows those of `tensors` that are defined, `prefix` before their names, until `visit` has seen
/// enough; whether it wants to see more.
bool visit_defined(const ModelImpl::Visitor& visit, const std::string& prefix,
                   const NamedTensors& tensors);

/// Builds the model of a config for a task, its values drawn from `source` under the config's
/// initial scales. A config that does not fit the task is a mistake of the program (c10::Error):
/// checking what users write comes before.
std::shared_ptr<ModelImpl> make_model(const ModelConfig& config, const TaskShape& shape,
                                      const RandomSource& source);

}  // namespace qkvlab
