#include "random/initial_values.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace qkvlab {

namespace {

double bound(int64_t in) { return 1.0 / std::sqrt(static_cast<double>(in)); }

}  // namespace

InitialValues InitialValues::submodule(const std::string& name) const {
  return InitialValues(*source_, path_ + name + ".");
}

at::Tensor InitialValues::linear_weight(const std::string& name, int64_t out, int64_t in) const {
  return at::empty({out, in}).uniform_(-bound(in), bound(in), generator(name));
}

at::Tensor InitialValues::linear_bias(const std::string& name, int64_t out, int64_t in) const {
  return at::empty({out}).uniform_(-bound(in), bound(in), generator(name));
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
