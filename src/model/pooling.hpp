#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace qkvlab {

/// Those tokens of x [B, T, C] whose places in the flattened [B * T] are `rows` (int64) [N]:
/// [N, C]. With R replicas x [R, B, T, C], rows [N] (the same for all) or [R, N]: [R, N, C].
at::Tensor take_rows(const at::Tensor& x, const at::Tensor& rows, int64_t replicas);

/// The last valid token of each sequence: x [B, T, C] to [B, C], with replicas [R, …]. `valid`
/// (bool) [B, T] or [R, B, T]; undefined where all are. Of a sequence without any, the first token.
at::Tensor last_valid(const at::Tensor& x, const at::Tensor& valid, int64_t replicas);

/// The mean over the valid tokens of each sequence; shapes as last_valid. Of a sequence without
/// any, zeros.
at::Tensor mean_over_valid(const at::Tensor& x, const at::Tensor& valid);

}  // namespace qkvlab
