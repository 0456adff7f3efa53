#include "training/divergence.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <cmath>

namespace qkvlab {

namespace {

/// What of a tensor belongs to the run.
at::Tensor part_of(const at::Tensor& tensor, const ModelImpl& model, int64_t run) {
  return model.replicas() > 0 ? tensor[run] : tensor;
}

bool all_finite(const at::Tensor& tensor) { return tensor.isfinite().all().item<bool>(); }

/// The first tensor on the way to the logits that is not finite; empty where all are.
std::string first_non_finite_intermediate(const ModelImpl& model, const TokenInput& input,
                                          int64_t run) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, value] : model.intermediates(input)) {
    // A masked score is −∞ on purpose.
    const at::Tensor part = part_of(value, model, run);
    const at::Tensor wrong = part.isnan() | (part == INFINITY);
    if (wrong.any().item<bool>()) return name;
  }
  return {};
}

}  // namespace

std::string first_non_finite(const ModelImpl& model, int64_t run) {
  const std::vector<NamedValue> values = named_values(model);
  for (const NamedValue& parameter : values) {
    if (!all_finite(part_of(parameter.value, model, run))) return parameter.path;
  }
  for (const NamedValue& parameter : values) {
    if (parameter.gradient.defined() && !all_finite(part_of(parameter.gradient, model, run))) {
      return "gradient of " + parameter.path;
    }
  }
  return {};
}

std::string culprit_of(const ModelImpl& model, const std::vector<Questions>& passes,
                       bool loss_is_finite, int64_t run) {
  std::string culprit = first_non_finite(model, run);
  if (!loss_is_finite && (culprit.empty() || culprit.rfind("gradient", 0) == 0)) {
    culprit.clear();
    for (const Questions& pass : passes) {
      if (culprit.empty()) culprit = first_non_finite_intermediate(model, pass.input, run);
    }
    if (culprit.empty()) culprit = "loss";
  }
  // Each gradient may be finite, and their norm beyond float32's range.
  return culprit.empty() ? "the norm of all gradients" : culprit;
}

}  // namespace qkvlab
