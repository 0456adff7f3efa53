#include "attention/fused.hpp"

#include <ATen/ATen.h>
#include <torch/version.h>

namespace qkvlab {

at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const at::Tensor& mask, bool causal) {
  const c10::optional<at::Tensor> attn_mask =
      mask.defined() ? c10::optional<at::Tensor>(mask) : c10::nullopt;
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(q, k, v, attn_mask, /*dropout_p=*/0.0, causal);
#else
  return std::get<0>(at::_scaled_dot_product_attention(q, k, v, attn_mask, /*dropout_p=*/0.0,
                                                       /*need_attn_weights=*/false, causal));
#endif
}

}  // namespace qkvlab
