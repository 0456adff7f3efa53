#include "attention/mask_convention.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/activation.h>

#include "attention/attend.hpp"
#include "attention/fused.hpp"

namespace qkvlab {

namespace {

at::Tensor ours(const at::Tensor& mask) {
  const at::Tensor zero = at::zeros({2, 2});
  return attend(zero, zero, at::eye(2), Mask(mask)).context;
}

at::Tensor fused(const at::Tensor& mask) {
  const at::Tensor zero = at::zeros({1, 1, 2, 2});  // [B, H, T, Dh]
  return fused_attention(zero, zero, at::eye(2).expand({1, 1, 2, 2}), mask).view({2, 2});
}

/// MultiheadAttention that projects queries and keys to zero and values to themselves; no output
/// projection to speak of.
torch::nn::MultiheadAttention plain_multihead() {
  const torch::NoGradGuard no_grad;
  torch::nn::MultiheadAttention multihead(
      torch::nn::MultiheadAttentionOptions(/*embed_dim=*/2, /*num_heads=*/1).bias(false));
  multihead->in_proj_weight.copy_(at::cat({at::zeros({4, 2}), at::eye(2)}));
  multihead->out_proj->weight.copy_(at::eye(2));
  return multihead;
}

at::Tensor multihead_attn_mask(const at::Tensor& mask) {
  const at::Tensor x = at::eye(2).unsqueeze(1);  // [T, B, C]
  return std::get<0>(plain_multihead()->forward(x, x, x, /*key_padding_mask=*/{},
                                                /*need_weights=*/false, mask))
      .squeeze(1);
}

at::Tensor multihead_key_padding_mask(const at::Tensor& mask) {
  const at::Tensor x = at::eye(2).unsqueeze(1).expand({2, 2, 2});  // [T, B, C]
  // The mask knows only keys, so that query i is read from a batch whose keys are masked by row i.
  const at::Tensor y = std::get<0>(plain_multihead()->forward(x, x, x, mask, false));
  return at::stack({y[0][0], y[1][1]});
}

}  // namespace

MaskMeaning meaning_of_true(const TwoByTwoAttention& attention) {
  const at::Tensor diagonal = at::eye(2);
  const at::Tensor seen = attention(diagonal.to(at::kBool)).detach();
  if (at::allclose(seen, diagonal)) return MaskMeaning::kMayAttend;
  if (at::allclose(seen, 1 - diagonal)) return MaskMeaning::kBlocked;
  // LibTorch's C++ MultiheadAttention does so with a boolean attn_mask (1.13 and 2.6), unlike
  // Python's.
  if (at::allclose(seen, at::softmax(diagonal, -1))) return MaskMeaning::kAdded;
  return MaskMeaning::kNothing;
}

std::vector<MaskConvention> mask_conventions() {
  return {
      {"qkvlab attend", meaning_of_true(ours)},
      {"torch::nn::MultiheadAttention attn_mask", meaning_of_true(multihead_attn_mask)},
      {"torch::nn::MultiheadAttention key_padding_mask",
       meaning_of_true(multihead_key_padding_mask)},
      {"fused scaled_dot_product_attention", meaning_of_true(fused)},
  };
}

}  // namespace qkvlab
