#include "model/pooling.hpp"

#include <ATen/ATen.h>

#include "layers/embedding.hpp"

namespace qkvlab {

at::Tensor take_rows(const at::Tensor& x, const at::Tensor& rows, int64_t replicas) {
  const int64_t width = x.size(-1);
  const at::Tensor table =
      replicas == 0 ? x.reshape({-1, width}) : x.reshape({replicas, -1, width});
  return look_up(table, rows.unsqueeze(-2)).squeeze(-3);  // [N, C] or [R, N, C]
}

at::Tensor last_valid(const at::Tensor& x, const at::Tensor& valid, int64_t replicas) {
  const int64_t length = x.size(-2);
  if (!valid.defined()) return x.select(-2, length - 1);
  const at::TensorOptions whole = valid.options().dtype(at::kLong);
  const at::Tensor last = (valid * at::arange(length, whole)).amax(-1);  // [B] or [R, B]
  const at::Tensor starts = at::arange(0, valid.size(-2) * length, length, whole);
  return take_rows(x, starts + last, replicas);
}

at::Tensor mean_over_valid(const at::Tensor& x, const at::Tensor& valid) {
  if (!valid.defined()) return x.mean(-2);
  const at::Tensor sum = x.masked_fill(~valid.unsqueeze(-1), 0).sum(-2);
  return sum / valid.sum(-1, /*keepdim=*/true).clamp_min(1);
}

}  // namespace qkvlab
