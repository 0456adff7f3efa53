#include "experiment/snapshot.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

std::vector<NamedValue> snapshot(const torch::nn::Module& model, Gradients gradients) {
  std::vector<NamedValue> values = named_values(model);
  for (NamedValue& parameter : values) {
    parameter.value = parameter.value.clone();
    const bool copied = gradients == Gradients::kCopied && parameter.gradient.defined();
    parameter.gradient = copied ? parameter.gradient.clone() : at::Tensor();
  }
  return values;
}

}  // namespace qkvlab
