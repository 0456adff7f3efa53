#include "model/mlp.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

MlpImpl::MlpImpl(int64_t width, int64_t hidden, bool bias, const InitialValues& initial) {
  fc_in = register_module("fc_in",
                          Linear(LinearOptions{width, hidden, bias}, initial.submodule("fc_in")));
  fc_out = register_module("fc_out",
                           Linear(LinearOptions{hidden, width, bias}, initial.submodule("fc_out")));
}

MlpForward MlpImpl::forward(const at::Tensor& x) const {
  MlpForward result;
  result.hidden = at::gelu(fc_in->forward(x));  // [B, T, ratio * C]
  result.output = fc_out->forward(result.hidden);
  return result;
}

}  // namespace qkvlab
