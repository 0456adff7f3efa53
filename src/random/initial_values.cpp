#include "random/initial_values.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace qkvlab {

namespace {

constexpr double kGpt2Deviation = 0.02;

double bound(int64_t in) { return 1.0 / std::sqrt(static_cast<double>(in)); }

}  // namespace

InitialValues InitialValues::submodule(const std::string& name) const {
  return InitialValues(*source_, scales_, path_ + name + ".");
}

at::Tensor InitialValues::linear_weight(const std::string& name, int64_t out, int64_t in,
                                        bool residual) const {
  const at::Tensor weight = at::empty({out, in});
  if (scales_.scheme == InitScheme::kTorch) {
    return weight.uniform_(-bound(in), bound(in), generator(name));
  }
  const double sums = residual ? 2.0 * static_cast<double>(scales_.layers) : 1.0;
  return weight.normal_(0, kGpt2Deviation / std::sqrt(sums), generator(name));
}

at::Tensor InitialValues::linear_bias(const std::string& name, int64_t out, int64_t in) const {
  if (scales_.scheme == InitScheme::kGpt2) return at::zeros({out});
  return at::empty({out}).uniform_(-bound(in), bound(in), generator(name));
}

at::Tensor InitialValues::embedding(const std::string& name, int64_t rows, int64_t width) const {
  const double deviation = scales_.scheme == InitScheme::kGpt2 ? kGpt2Deviation : 1;
  return at::empty({rows, width}).normal_(0, deviation, generator(name));
}

at::Tensor InitialValues::normal(const std::string& name, at::IntArrayRef shape,
                                 double deviation) const {
  return at::randn(shape, generator(name)) * deviation;
}

at::Generator InitialValues::generator(const std::string& name) const {
  return source_->generator(path_ + name);
}

}  // namespace qkvlab
