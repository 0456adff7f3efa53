#include "layers/linear.hpp"

#include "layers/replica_linear.hpp"
#include "layers/replica_shape.hpp"

namespace qkvlab {

LinearImpl::LinearImpl(at::Tensor initial_weight, at::Tensor initial_bias) {
  weight = register_parameter("weight", std::move(initial_weight));
  if (initial_bias.defined()) bias = register_parameter("bias", std::move(initial_bias));
}

LinearImpl::LinearImpl(const LinearOptions& options, const InitialValues& initial)
    // Braces: the weight is drawn before the bias, as PyTorch draws them.
    : LinearImpl{
          initial.linear_weight("weight", options.out, options.in, options.residual),
          options.bias ? initial.linear_bias("bias", options.out, options.in) : at::Tensor()} {}

at::Tensor LinearImpl::forward(const at::Tensor& x) const { return apply_linear(x, weight, bias); }

at::Tensor apply_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const int64_t replicas = replicas_of(weight, 2);
  if (replicas == 0) return at::linear(x, weight, bias);
  check_replicas(x, replicas);
  const at::Tensor rows = x.reshape({replicas, -1, x.size(-1)});  // [R, N, in]
  at::Tensor y;                                                   // [R, N, out]
  if (fits_replica_linear(weight)) {
    y = replica_linear(rows, weight, bias);
  } else {
    const at::Tensor transposed = weight.transpose(-2, -1);  // [R, in, out]
    y = bias.defined() ? at::baddbmm(bias.unsqueeze(1), rows, transposed)
                       : at::bmm(rows, transposed);
  }
  std::vector<int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(-2);
  return y.view(shape);  // [R, ..., out]
}

}  // namespace qkvlab
