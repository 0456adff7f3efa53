#pragma once

#include "attention/self_attention.hpp"

namespace qkvlab {

/// The parameters of torch::nn::MultiheadAttention: query, key and value under one another.
struct MultiheadLayout {
  at::Tensor in_proj_weight;   // [3C, C]
  at::Tensor in_proj_bias;     // [3C]; undefined without bias, as is the next
  at::Tensor out_proj_weight;  // [C, C]
  at::Tensor out_proj_bias;    // [C]
};

/// The three projection weights [C, C] of `owner` (a module that holds Projections of `plan`) as
/// one [3C, C]. What the plan does not learn is written out as the matrix that has its effect: the
/// identity, zeros, or a copy of the one it borrows. A copy, cut off from the gradient; single
/// models only.
at::Tensor packed_in_proj_weight(const torch::nn::Module& owner, const ProjectionPlan& plan,
                                 int64_t width);

/// The layout with which torch::nn::MultiheadAttention computes what `attention` computes.
MultiheadLayout export_multihead(const SelfAttentionImpl& attention);

/// Sets all parameters of `attention` from such a layout. Throws c10::Error where shapes differ or
/// where the layout holds something for a projection that the plan does not learn, other than what
/// export_multihead would write there.
void import_multihead(SelfAttentionImpl& attention, const MultiheadLayout& layout);

}  // namespace qkvlab
