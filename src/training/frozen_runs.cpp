#include "training/frozen_runs.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

namespace qkvlab {

void FrozenRuns::freeze(const std::vector<int64_t>& runs) {
  if (runs.empty()) return;
  const torch::NoGradGuard no_grad;
  const bool first = kept_.empty();
  const at::Tensor index =
      at::tensor(runs, at::kLong).to(parameters_.front().device());  // [runs.size()]
  runs_ = first ? index : at::cat({runs_, index});
  kept_.resize(parameters_.size());
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor value = parameters_[i].index_select(0, index);
    kept_[i] = first ? value : at::cat({kept_[i], value});
  }
}

void FrozenRuns::restore() const {
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < kept_.size(); ++i) parameters_[i].index_copy_(0, runs_, kept_[i]);
}

}  // namespace qkvlab
