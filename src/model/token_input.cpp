#include "model/token_input.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

at::Tensor position_ids(const at::Tensor& valid) { return (valid.cumsum(-1) - 1).clamp_min(0); }

}  // namespace qkvlab
