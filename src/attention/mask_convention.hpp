#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace qkvlab {

/// What an attention function takes `true` in a boolean mask to mean.
enum class MaskMeaning {
  kMayAttend,
  kBlocked,
  kAdded,    // no mask at all: it is added to the scores as 1
  kNothing,  // none of these
};

/// Attention of two queries over two keys under a mask (bool [2, 2]) where all scores are equal and
/// the values are the identity matrix: its output [2, 2] is the weights.
using TwoByTwoAttention = std::function<at::Tensor(const at::Tensor& mask)>;

/// Finds out by computing: passes the mask that lets query i see key i alone, if true means "may
/// attend", and looks at what it saw.
MaskMeaning meaning_of_true(const TwoByTwoAttention& attention);

struct MaskConvention {
  std::string function;
  MaskMeaning meaning;
};

/// The conventions of this project, of torch::nn::MultiheadAttention (its two masks) and of
/// LibTorch's fused scaled dot-product attention, each found by computing.
std::vector<MaskConvention> mask_conventions();

}  // namespace qkvlab
