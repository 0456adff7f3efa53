#include "training/gradients.hpp"

#include <ATen/ATen.h>

#include "layers/replica_shape.hpp"

namespace qkvlab {

namespace {

bool all_finite(const at::Tensor& tensor) { return tensor.isfinite().all().item<bool>(); }

}  // namespace

NamedTensors gradient_norms(const ModelImpl& model) {
  const bool replicas = model.replicas() > 0;
  NamedTensors norms;
  for (const NamedValue& parameter : named_values(model)) {
    const at::Tensor& gradient = parameter.gradient;
    at::Tensor norm;
    if (!gradient.defined()) {
      norm = replicas ? at::zeros({model.replicas()}, parameter.value.options())
                      : at::zeros({}, parameter.value.options());
    } else {
      norm = replicas ? gradient.reshape({gradient.size(0), -1}).norm(2, {-1}) : gradient.norm();
    }
    norms.emplace_back(parameter.path, norm);
  }
  return norms;
}

at::Tensor global_norm(const NamedTensors& norms) {
  std::vector<at::Tensor> parts;
  parts.reserve(norms.size());
  for (const auto& [path, norm] : norms) parts.push_back(norm);
  return at::stack(parts).norm(2, {0});
}

void clip_gradients(const ModelImpl& model, const at::Tensor& norm, double limit) {
  constexpr double kEpsilon = 1e-6;
  const at::Tensor factor = (limit / (norm + kEpsilon)).clamp_max(1);  // [] or [R]
  for (const at::Tensor& parameter : model.parameters()) {
    at::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    std::vector<int64_t> shape(gradient.dim(), 1);
    if (factor.dim() > 0) shape.front() = factor.size(0);
    gradient.mul_(factor.dim() > 0 ? factor.view(shape) : factor);
  }
}

std::string first_non_finite(const ModelImpl& model) {
  for (const NamedValue& parameter : named_values(model)) {
    if (!all_finite(parameter.value)) return parameter.path;
  }
  for (const NamedValue& parameter : named_values(model)) {
    if (parameter.gradient.defined() && !all_finite(parameter.gradient)) {
      return "gradient of " + parameter.path;
    }
  }
  return {};
}

}  // namespace qkvlab
