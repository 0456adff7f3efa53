#pragma once

#include <torch/nn/module.h>

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

/// Appends those of `tensors` that are defined to `list`, `prefix` before their names.
void append_defined(NamedTensors& list, const std::string& prefix, const NamedTensors& tensors);

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

  /// Everything that is computed on the way to the logits, then `logits` and their
  /// `probabilities`, with nothing dropped. What depends on a parameter is part of the autograd
  /// graph: it can retain its gradient. Each model says its names.
  virtual NamedTensors intermediates(const TokenInput& input) const = 0;

  /// R, or 0 for a single model.
  virtual int64_t replicas() const = 0;
};

/// Builds the model of a config for a task, its values drawn from `source` under the config's
/// initial scales. A config that does not fit the task is a mistake of the program (c10::Error):
/// checking what users write comes before.
std::shared_ptr<ModelImpl> make_model(const ModelConfig& config, const TaskShape& shape,
                                      const RandomSource& source);

}  // namespace qkvlab
