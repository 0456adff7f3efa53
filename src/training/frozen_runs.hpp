#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace qkvlab {

/// Keeps the parameters of the runs of a group that have ended as they were then, while the others
/// are trained on. The ended ones are computed along.
class FrozenRuns {
 public:
  /// `parameters` of R replicas, as they are stored.
  explicit FrozenRuns(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {}

  /// From now on the parameters of these runs are what they are now.
  void freeze(const std::vector<int64_t>& runs);

  /// Undoes what an update did to the frozen ones.
  void restore() const;

 private:
  std::vector<at::Tensor> parameters_;
  at::Tensor runs_;               // int64 [F], the frozen ones; undefined while there are none
  std::vector<at::Tensor> kept_;  // [F, …] of each parameter
};

}  // namespace qkvlab
