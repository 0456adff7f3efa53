#include "random/initial_values.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace qkvlab {

InitialValues InitialValues::submodule(const std::string& name) const {
  return InitialValues(*source_, path_ + name + ".");
}

at::Tensor InitialValues::linear_weight(const std::string& name, int64_t out, int64_t in) const {
  // √3 · gain/√in with gain² = 2/(1 + a²); 1/√in on paper, but not always to the last bit.
  const double gain = std::sqrt(2.0 / (1.0 + std::pow(std::sqrt(5.0), 2)));
  const double bound = std::sqrt(3.0) * (gain / std::sqrt(static_cast<double>(in)));
  return at::empty({out, in}).uniform_(-bound, bound, generator(name));
}

at::Tensor InitialValues::linear_bias(const std::string& name, int64_t out, int64_t in) const {
  const double bound = 1.0 / std::sqrt(static_cast<double>(in));
  return at::empty({out}).uniform_(-bound, bound, generator(name));
}

at::Tensor InitialValues::embedding(const std::string& name, int64_t rows, int64_t width) const {
  return at::empty({rows, width}).normal_(0, 1, generator(name));
}

at::Tensor InitialValues::normal(const std::string& name, at::IntArrayRef shape,
                                 double deviation) const {
  return at::randn(shape, generator(name)) * deviation;
}

at::Generator InitialValues::generator(const std::string& name) const {
  return source_->generator(path_ + name);
}

}  // namespace qkvlab
