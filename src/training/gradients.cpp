#include "training/gradients.hpp"

#include <ATen/ATen.h>

#include "layers/row_loops.hpp"

namespace qkvlab {

namespace {

/// Whether loops of our own sum the squares of a stacked gradient: LibTorch sums one row in another
/// order than several, so that a run's bits would depend on how many are beside it.
bool has_own_sums(const at::Tensor& gradient, int64_t replicas) {
  return replicas > 0 && gradient.is_cpu() && gradient.scalar_type() == at::kFloat;
}

/// [R], float64.
at::Tensor squares_of(const at::Tensor& gradient, int64_t replicas) {
  const at::Tensor rows = gradient.contiguous();
  const at::Tensor sums = at::empty({replicas}, at::kDouble);
  sum_squares_of_rows(rows.data_ptr<float>(), replicas, rows.numel() / replicas,
                      sums.data_ptr<double>());
  return sums;
}

/// [] or [R].
at::Tensor norm_of(const at::Tensor& gradient, int64_t replicas) {
  if (has_own_sums(gradient, replicas)) {
    return squares_of(gradient, replicas).sqrt().to(at::kFloat);
  }
  return replicas > 0 ? gradient.reshape({replicas, -1}).norm(2, {-1}) : gradient.norm();
}

at::Tensor no_norm(const at::Tensor& parameter, int64_t replicas) {
  return replicas > 0 ? at::zeros({replicas}, parameter.options())
                      : at::zeros({}, parameter.options());
}

}  // namespace

NamedTensors gradient_norms(const ModelImpl& model) {
  const int64_t replicas = model.replicas();
  NamedTensors norms;
  for (const NamedValue& parameter : named_values(model)) {
    norms.emplace_back(parameter.path, parameter.gradient.defined()
                                           ? norm_of(parameter.gradient, replicas)
                                           : no_norm(parameter.value, replicas));
  }
  return norms;
}

at::Tensor global_norm(const std::vector<at::Tensor>& parameters, int64_t replicas) {
  if (has_own_sums(parameters.front(), replicas)) {
    const at::Tensor sums = at::zeros({replicas}, at::kDouble);
    for (const at::Tensor& parameter : parameters) {
      if (parameter.grad().defined()) sums.add_(squares_of(parameter.grad(), replicas));
    }
    return sums.sqrt().to(at::kFloat);
  }
  std::vector<at::Tensor> norms;
  norms.reserve(parameters.size());
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor& gradient = parameter.grad();
    if (gradient.defined()) norms.push_back(norm_of(gradient, replicas));
  }
  if (norms.empty()) return no_norm(parameters.front(), replicas);
  return at::stack(norms).norm(2, {0});
}

void clip_gradients(const std::vector<at::Tensor>& parameters, const at::Tensor& norm,
                    double limit) {
  constexpr double kEpsilon = 1e-6;
  const at::Tensor factor = (limit / (norm + kEpsilon)).clamp_max(1);  // [] or [R]
  for (const at::Tensor& parameter : parameters) {
    at::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    std::vector<int64_t> shape(gradient.dim(), 1);
    if (factor.dim() > 0) shape.front() = factor.size(0);
    gradient.mul_(factor.dim() > 0 ? factor.view(shape) : factor);
  }
}

}  // namespace qkvlab
