#include "layers/tensor_values.hpp"

#include <ATen/ATen.h>

#include "base/hash.hpp"

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

std::string digest(const std::vector<at::Tensor>& tensors) {
  std::string bytes;
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.defined()) continue;
    const at::Tensor plain = tensor.detach().cpu().contiguous();
    bytes.append(static_cast<const char*>(plain.data_ptr()), plain.nbytes());
  }
  return xxh3_64_hex(bytes);
}

}  // namespace qkvlab
