#include "training/frozen_runs.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

namespace qkvlab {

void FrozenRuns::freeze(int64_t run) {
  const torch::NoGradGuard no_grad;
  const bool first = kept_.empty();
  const at::Tensor index =
      at::full({1}, run, at::device(parameters_.front().device()).dtype(at::kLong));
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
