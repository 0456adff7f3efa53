#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace qkvlab {

/// The numbers of a tensor of any device, row-major.
std::vector<float> float_values(const at::Tensor& tensor);
std::vector<double> double_values(const at::Tensor& tensor);

/// XXH3-64 of the bytes of tensors (row-major, one after another; undefined ones are passed over),
/// as 16 hexadecimal digits.
std::string digest(const std::vector<at::Tensor>& tensors);

}  // namespace qkvlab
