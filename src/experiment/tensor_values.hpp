#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace qkvlab {

/// The numbers of a tensor of any device, row-major.
std::vector<float> float_values(const at::Tensor& tensor);
std::vector<double> double_values(const at::Tensor& tensor);

}  // namespace qkvlab
