#include "layers/layer_norm.hpp"

#include <ATen/ATen.h>

#include "layers/replica_shape.hpp"

namespace qkvlab {

namespace {

constexpr double kEpsilon = 1e-5;

}  // namespace

LayerNormImpl::LayerNormImpl(int64_t width, bool with_bias) {
  weight = register_parameter("weight", at::ones({width}));
  if (with_bias) bias = register_parameter("bias", at::zeros({width}));
}

at::Tensor LayerNormImpl::forward(const at::Tensor& x) const {
  const int64_t width = weight.size(-1);
  const int64_t replicas = replicas_of(weight, 1);
  if (replicas == 0) return at::layer_norm(x, {width}, weight, bias, kEpsilon);
  check_replicas(x, replicas);
  std::vector<int64_t> shape(x.dim(), 1);
  shape.front() = replicas;
  shape.back() = width;  // [R, 1, ..., width]
  const at::Tensor normal = at::layer_norm(x, {width}, {}, {}, kEpsilon);
  return bias.defined() ? at::addcmul(bias.view(shape), normal, weight.view(shape))
                        : normal * weight.view(shape);
}

}  // namespace qkvlab
