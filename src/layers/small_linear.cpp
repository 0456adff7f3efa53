#include "layers/small_linear.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "layers/small_products.hpp"

namespace qkvlab {

namespace {

/// Numbers of one replica's weight: 256 KB, a quarter of a core's L2.
constexpr int64_t kLargestWeight = 65536;

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

int64_t replicas_in(const at::Tensor& x) { return x.dim() == 3 ? x.size(0) : 1; }

/// The matrix of replica r of x [R, rows, columns], or r = 0 of x [rows, columns].
MatrixView matrix_of(const at::Tensor& x, int64_t r) {
  return {x.data_ptr<float>() + r * x.stride(0), x.stride(-2), x.stride(-1)};
}

float* replica_of(const at::Tensor& contiguous, int64_t r) {
  return contiguous.data_ptr<float>() + r * contiguous.stride(0);
}

struct SmallLinear : torch::autograd::Function<SmallLinear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const c10::optional<at::Tensor>& given_bias) {
    const at::Tensor bias = given_bias.value_or(at::Tensor());
    const int64_t rows = x.size(-2), in = x.size(-1), out = weight.size(-2);
    std::vector<int64_t> shape = x.sizes().vec();
    shape.back() = out;
    const at::Tensor result = at::empty(shape, x.options());
    SmallProducts products;
    for (int64_t r = 0; r < replicas_in(x); ++r) {
      const MatrixView start = bias.defined()
                                   ? MatrixView{bias.data_ptr<float>() + r * bias.stride(0), 0, 1}
                                   : MatrixView{};
      products.multiply(rows, out, in, matrix_of(x, r), matrix_of(weight, r).transposed(),
                        replica_of(result, r), out, start);
    }
    context->save_for_backward({x, weight, bias});
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "small_linear has no second derivative");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const at::Tensor given = gradients[0].contiguous();  // [R, N, out]
    const int64_t rows = x.size(-2), in = x.size(-1), out = weight.size(-2);
    variable_list found(3);  // of x, weight and bias
    if (context->needs_input_grad(0)) found[0] = at::empty(x.sizes(), x.options());
    if (context->needs_input_grad(1)) found[1] = at::empty(weight.sizes(), x.options());
    if (saved[2].defined() && context->needs_input_grad(2))
      found[2] = at::empty(saved[2].sizes(), x.options());
    constexpr float kOne = 1;
    SmallProducts products;
    for (int64_t r = 0; r < replicas_in(x); ++r) {
      const MatrixView gradient = matrix_of(given, r);
      if (found[0].defined()) {
        products.multiply(rows, in, out, gradient, matrix_of(weight, r), replica_of(found[0], r),
                          in);
      }
      if (found[1].defined()) {
        products.multiply(out, in, rows, gradient.transposed(), matrix_of(x, r),
                          replica_of(found[1], r), in);
      }
      if (found[2].defined()) {  // the sum of all rows: a row of ones times them
        products.multiply(1, out, rows, {&kOne, 0, 0}, gradient, replica_of(found[2], r), out);
      }
    }
    return found;
  }
};

}  // namespace

bool fits_small_linear(const at::Tensor& weight) {
  return weight.is_cpu() && weight.scalar_type() == at::kFloat &&
         weight.size(-2) * weight.size(-1) <= kLargestWeight;
}

at::Tensor small_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  TORCH_CHECK(fits_small_linear(weight) && x.scalar_type() == at::kFloat && x.is_cpu() &&
                  x.dim() == weight.dim() && replicas_in(x) == replicas_in(weight) &&
                  x.size(-1) == weight.size(-1),
              "small_linear: x [..., N, in] and weight [..., out, in] do not fit: ", x.sizes(),
              ", ", weight.sizes());
  const at::IntArrayRef outputs = weight.sizes().slice(0, weight.dim() - 1);
  TORCH_CHECK(!bias.defined() || bias.sizes() == outputs, "small_linear: a bias is ", outputs);
  // LibTorch 1.13 takes no undefined argument.
  return SmallLinear::apply(
      x, weight, bias.defined() ? c10::optional<at::Tensor>(bias.contiguous()) : c10::nullopt);
}

}  // namespace qkvlab
