#pragma once

#include <torch/nn/module.h>

#include <string>
#include <vector>

namespace qkvlab {

/// One parameter as records, checkpoints and people speak of it.
struct NamedValue {
  std::string path;     // "blocks.0.attention.q_proj.weight"
  at::Tensor value;     // detached; shares the parameter's memory
  at::Tensor gradient;  // undefined before the first backward
};

/// All parameters of `module` under their PyTorch-style paths, a module's own before its
/// children's. Packed linear layers appear as the parts that they hold (`in_proj.weight` [3C, C] as
/// `q_proj.weight`, `k_proj.weight`, `v_proj.weight`), so that storage never shows.
std::vector<NamedValue> named_values(const torch::nn::Module& module);

/// The value at `path`, or an undefined tensor.
at::Tensor value_at(const std::vector<NamedValue>& values, const std::string& path);

/// How many numbers all parameters hold together (of all replicas).
int64_t count_parameters(const torch::nn::Module& module);

}  // namespace qkvlab
