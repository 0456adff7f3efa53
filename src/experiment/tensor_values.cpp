#include "experiment/tensor_values.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

namespace {

template <typename T>
std::vector<T> values_as(const at::Tensor& tensor, at::ScalarType type) {
  const at::Tensor plain = tensor.detach().to(at::kCPU, type).contiguous();
  const T* begin = plain.data_ptr<T>();
  return {begin, begin + plain.numel()};
}

}  // namespace

std::vector<float> float_values(const at::Tensor& tensor) {
  return values_as<float>(tensor, at::kFloat);
}

std::vector<double> double_values(const at::Tensor& tensor) {
  return values_as<double>(tensor, at::kDouble);
}

}  // namespace qkvlab
