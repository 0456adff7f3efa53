#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace qkvlab {

/// Replicas: R models of one architecture, trained side by side as one. Every parameter has an
/// optional leading dimension R, and so has every activation. A layer knows by its own parameter's
/// dimension which it is, so one definition of each model serves one and many, and the number of
/// LibTorch calls does not grow with R (drawing dropout masks apart: see layers/dropout.hpp).
///
/// Returns R, or 0 where `parameter` (of `dimensions` dimensions in a single model) has no replica
/// dimension.
inline int64_t replicas_of(const at::Tensor& parameter, int64_t dimensions) {
  return parameter.dim() == dimensions ? 0 : parameter.size(0);
}

/// Checks by its size that the activation `x` has the leading replica dimension; without the check
/// a reshape would silently deal the batch out to the replicas.
inline void check_replicas(const at::Tensor& x, int64_t replicas) {
  TORCH_CHECK(x.dim() > 1 && x.size(0) == replicas, "an activation of ", replicas,
              " replicas was expected, got ", x.sizes());
}

}  // namespace qkvlab
