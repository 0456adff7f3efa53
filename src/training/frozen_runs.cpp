#include "training/frozen_runs.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

namespace qkvlab {

void FrozenRuns::freeze(int64_t run) {
  std::vector<at::Tensor> values;
  for (const at::Tensor& parameter : parameters_) {
    values.push_back(parameter.detach()[run].clone());
  }
  kept_.emplace_back(run, std::move(values));
}

void FrozenRuns::restore() const {
  const torch::NoGradGuard no_grad;
  for (const auto& [run, values] : kept_) {
    for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i][run].copy_(values[i]);
  }
}

}  // namespace qkvlab
