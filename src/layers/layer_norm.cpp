#include "layers/layer_norm.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "layers/layer_norm_loops.hpp"
#include "layers/replica_shape.hpp"

namespace qkvlab {

namespace {

constexpr double kEpsilon = 1e-5;

/// The rows of a replica that are worked on at a time. The gradients of weight and bias are summed
/// within each such part and then over the parts in their order, so that their bits do not depend
/// on the number of threads.
constexpr int64_t kRowsOfAPart = 256;

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Calls function(replica, part, first row, rows) for all rows [R, N, ...].
template <typename Function>
void for_each_part(int64_t replicas, int64_t rows, const Function& function) {
  const int64_t parts = (rows + kRowsOfAPart - 1) / kRowsOfAPart;
  at::parallel_for(0, replicas * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t part = i % parts, first = part * kRowsOfAPart;
      function(i / parts, part, first, std::min(kRowsOfAPart, rows - first));
    }
  });
}

/// Where replica r of a contiguous tensor [R, ...] begins; null where it is undefined.
float* begin_of(const at::Tensor& x, int64_t r) {
  return x.defined() ? x.data_ptr<float>() + r * (x.numel() / x.size(0)) : nullptr;
}

NormRows rows_of(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, int64_t r,
                 int64_t first, int64_t count) {
  const int64_t width = x.size(-1);
  return {begin_of(x, r) + first * width, begin_of(weight, r), begin_of(bias, r), count, width};
}

/// x [R, ..., width], weight [R, width] and bias [R, width] (which may be left out), each replica
/// by itself. LibTorch's has one weight for all, and takes a pass for the weight, one for the bias,
/// and four of the backward pass to have one for each.
struct ReplicaNorm : torch::autograd::Function<ReplicaNorm> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& weight, const c10::optional<at::Tensor>& maybe_bias) {
    const at::Tensor x = given.contiguous(), bias = maybe_bias.value_or(at::Tensor());
    const int64_t replicas = x.size(0), width = x.size(-1), rows = x.numel() / replicas / width;
    const at::Tensor y = at::empty(x.sizes(), x.options());
    const at::Tensor means = at::empty({replicas, rows}, x.options());
    const at::Tensor scales = at::empty({replicas, rows}, x.options());
    for_each_part(replicas, rows, [&](int64_t r, int64_t /*part*/, int64_t first, int64_t count) {
      layer_norm_rows(rows_of(x, weight, bias, r, first, count), begin_of(y, r) + first * width,
                      begin_of(means, r) + first, begin_of(scales, r) + first);
    });
    context->save_for_backward({x, weight, bias, means, scales});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "the norm of replicas has no second derivative");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &bias = saved[2];
    const at::Tensor given = gradients[0].contiguous();
    const int64_t replicas = x.size(0), width = x.size(-1), rows = x.numel() / replicas / width;
    const int64_t parts = (rows + kRowsOfAPart - 1) / kRowsOfAPart;
    const at::Tensor found = at::empty(x.sizes(), x.options());
    const at::Tensor weights = at::zeros({replicas, parts, width}, x.options());
    const at::Tensor biases = bias.defined() ? at::zeros_like(weights) : at::Tensor();
    for_each_part(replicas, rows, [&](int64_t r, int64_t part, int64_t first, int64_t count) {
      const int64_t place = first * width;
      layer_norm_rows_backward(rows_of(x, weight, bias, r, first, count),
                               begin_of(saved[3], r) + first, begin_of(saved[4], r) + first,
                               begin_of(given, r) + place, begin_of(found, r) + place,
                               begin_of(weights, r) + part * width,
                               bias.defined() ? begin_of(biases, r) + part * width : nullptr);
    });
    return {found, sum_of_parts(weights), sum_of_parts(biases)};
  }

 private:
  /// [R, parts, width] to [R, width].
  static at::Tensor sum_of_parts(const at::Tensor& parts) {
    if (!parts.defined() || parts.size(1) == 1) return parts.defined() ? parts.squeeze(1) : parts;
    const int64_t width = parts.size(2);
    const at::Tensor sum = at::zeros({parts.size(0), width}, parts.options());
    for (int64_t r = 0; r < parts.size(0); ++r) {
      float* const total = begin_of(sum, r);
      const float* next = begin_of(parts, r);
      for (int64_t part = 0; part < parts.size(1); ++part) {
        for (int64_t j = 0; j < width; ++j) total[j] += *next++;
      }
    }
    return sum;
  }
};

}  // namespace

LayerNormImpl::LayerNormImpl(int64_t width, bool with_bias) {
  weight = register_parameter("weight", at::ones({width}));
  if (with_bias) bias = register_parameter("bias", at::zeros({width}));
}

at::Tensor LayerNormImpl::forward(const at::Tensor& x) const {
  const int64_t width = weight.size(-1);
  const int64_t replicas = replicas_of(weight, 1);
  if (replicas == 0) return at::layer_norm(x, {width}, weight, bias, kEpsilon);
  check_replicas(x, replicas);
  if (x.is_cpu() && x.scalar_type() == at::kFloat && x.numel() > 0) {
    // LibTorch 1.13 takes no undefined argument.
    return ReplicaNorm::apply(
        x, weight.contiguous(),
        bias.defined() ? c10::optional<at::Tensor>(bias.contiguous()) : c10::nullopt);
  }
  std::vector<int64_t> shape(x.dim(), 1);
  shape.front() = replicas;
  shape.back() = width;  // [R, 1, ..., width]
  const at::Tensor normal = at::layer_norm(x, {width}, {}, {}, kEpsilon);
  return bias.defined() ? at::addcmul(bias.view(shape), normal, weight.view(shape))
                        : normal * weight.view(shape);
}

}  // namespace qkvlab
