#include "model/mlp.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

MlpImpl::MlpImpl(int64_t width, const MlpConfig& config, bool bias, bool exact,
                 const InitialValues& initial)
    : activation_(config.activation) {
  const int64_t hidden = hidden_width(config, width);
  const LinearOptions in{width, hidden, bias, /*residual=*/false, exact};
  const LinearOptions out{hidden, width, bias, /*residual=*/true, exact};
  fc_in = register_module("fc_in", Linear(in, initial.submodule("fc_in")));
  fc_out = register_module("fc_out", Linear(out, initial.submodule("fc_out")));
}

MlpForward MlpImpl::forward(const at::Tensor& x) const {
  MlpForward result;
  result.preactivation = fc_in->forward(x);  // [B, T, F]
  result.hidden = activation_ == Activation::kGelu ? at::gelu(result.preactivation)
                                                   : at::relu(result.preactivation);
  result.output = fc_out->forward(result.hidden);  // [B, T, C]
  return result;
}

}  // namespace qkvlab
