#pragma once

#include <ATen/core/Tensor.h>

namespace qkvlab {

/// LibTorch's own fused scaled dot-product attention (named differently in 1.13 and 2.x), as
/// something to compare with: q, k [B, H, T, Dh], v [B, H, Tk, Dv]. `mask` is passed on as it is
/// and may be undefined; what its true means is LibTorch's affair.
at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const at::Tensor& mask, bool causal = false);

}  // namespace qkvlab
