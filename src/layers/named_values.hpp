#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace qkvlab {

/// Tensors under stable names, in a stable order.
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

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

/// Something else that there is of every parameter (a moment of the optimiser), under the same
/// paths and in the same parts: `of` takes a parameter as it is stored and gives a tensor of its
/// shape, whose memory the parts share, or an undefined one.
NamedTensors named_parts(const torch::nn::Module& module,
                         const std::function<at::Tensor(const at::Tensor& parameter)>& of);

/// The value at `path`, or an undefined tensor.
at::Tensor value_at(const std::vector<NamedValue>& values, const std::string& path);

/// How many numbers all parameters hold together (of all replicas).
int64_t count_parameters(const torch::nn::Module& module);

}  // namespace qkvlab
