#include "layers/linear.hpp"

#include <ATen/ATen.h>

#include "layers/replica_shape.hpp"
#include "layers/small_linear.hpp"

namespace qkvlab {

namespace {

/// Products so large that a call for each replica costs nothing beside them, each the very one that
/// LibTorch makes for a single model: x [R, N, in] to [R, N, out].
at::Tensor one_by_one(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  // Views, so that a stack of one is copied nowhere, neither here nor backwards.
  if (x.size(0) == 1) {
    return at::linear(x.squeeze(0), weight.squeeze(0), bias.defined() ? bias.squeeze(0) : bias)
        .unsqueeze(0);
  }
  std::vector<at::Tensor> products;
  const auto inputs = x.unbind(), weights = weight.unbind();
  const auto biases = bias.defined() ? bias.unbind() : std::vector<at::Tensor>(inputs.size());
  for (size_t r = 0; r < inputs.size(); ++r) {
    products.push_back(at::linear(inputs[r], weights[r], biases[r]));
  }
  return at::stack(products);
}

}  // namespace

LinearImpl::LinearImpl(at::Tensor initial_weight, at::Tensor initial_bias) {
  weight = register_parameter("weight", std::move(initial_weight));
  if (initial_bias.defined()) bias = register_parameter("bias", std::move(initial_bias));
}

LinearImpl::LinearImpl(const LinearOptions& options, const InitialValues& initial)
    // Braces: the weight is drawn before the bias, as PyTorch draws them.
    : LinearImpl{
          initial.linear_weight("weight", options.out, options.in, options.residual),
          options.bias ? initial.linear_bias("bias", options.out, options.in) : at::Tensor()} {
  exact = options.exact;
}

at::Tensor LinearImpl::forward(const at::Tensor& x) const {
  return apply_linear(x, weight, bias, exact);
}

at::Tensor apply_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                        bool exact) {
  const int64_t replicas = replicas_of(weight, 2);
  const bool in_loops = fits_small_linear(weight);
  if (replicas == 0 && (exact || !in_loops)) return at::linear(x, weight, bias);
  if (replicas > 0) check_replicas(x, replicas);
  std::vector<int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(-2);  // [..., out] or [R, ..., out]
  if (replicas == 0) return small_linear(x.reshape({-1, x.size(-1)}), weight, bias).view(shape);
  const at::Tensor rows = x.reshape({replicas, -1, x.size(-1)});  // [R, N, in]
  if (in_loops) return small_linear(rows, weight, bias).view(shape);
  if (rows.is_cpu()) return one_by_one(rows, weight, bias).view(shape);
  const at::Tensor transposed = weight.transpose(-2, -1);  // [R, in, out]
  const at::Tensor y = bias.defined() ? at::baddbmm(bias.unsqueeze(1), rows, transposed)
                                      : at::bmm(rows, transposed);  // [R, N, out]
  return y.view(shape);
}

}  // namespace qkvlab
