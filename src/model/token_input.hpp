#pragma once

#include <ATen/core/Tensor.h>

namespace qkvlab {

/// What a model reads.
struct TokenInput {
  at::Tensor tokens;  // ids (int64) [B, T], or [R, B, T] where every replica has its own
  at::Tensor valid;   // bool, shaped as the tokens: not padding; undefined where all are valid
};

/// The position of each token among its sentence's valid ones, from 0, so that padding on either
/// side changes nothing for the real ones: shaped as `valid` (int64). Padding gets the position of
/// the last valid token before it, or 0.
at::Tensor position_ids(const at::Tensor& valid);

}  // namespace qkvlab
