#pragma once

#include "model/token_input.hpp"

namespace qkvlab {

/// What a model reads and what it should say.
struct Batch {
  TokenInput input;  // [B, T]
  at::Tensor
      targets;  // classes (int64) [B], or tokens [B, T] with kUnsupervised where nothing is asked
};

}  // namespace qkvlab
