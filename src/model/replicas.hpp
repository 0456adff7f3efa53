#pragma once

#include <torch/nn/module.h>

#include <vector>

namespace qkvlab {

/// Gives `target` the parameters of all `models` stacked along a new leading dimension (in place:
/// `target` may be one of them). All must have the same architecture (checked by parameter names
/// and shapes).
void stack_parameters(torch::nn::Module& target,
                      const std::vector<const torch::nn::Module*>& models);

/// Turns R single models into one of R replicas, which computes and trains all of them side by side
/// (see layers/replica_shape.hpp). The first model becomes the stack; the others stay as they are.
template <typename Model>
Model stack_replicas(const std::vector<Model>& models) {
  std::vector<const torch::nn::Module*> modules;
  for (const Model& model : models) modules.push_back(model.get());
  Model stacked = models.at(0);  // shares the first model, unlike it not const
  stack_parameters(*stacked, modules);
  return stacked;
}

}  // namespace qkvlab
