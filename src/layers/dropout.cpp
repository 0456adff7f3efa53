#include "layers/dropout.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace qkvlab {

namespace {

std::string purpose_of(const DropoutStep& step, const std::string& site) {
  std::string pass = std::to_string(step.step);
  if (step.micro_batch > 0) pass += "." + std::to_string(step.micro_batch);
  return "dropout/" + pass + "/" + site;
}

/// Fills `keep` with ones, each drawn with probability `share`, and zeros.
void draw(const at::Tensor& keep, double share, const RandomSource& source,
          const std::string& purpose) {
  const at::Generator generator = source.generator(purpose);
  if (source.scheme() == RandomScheme::kTorchStream) {
    keep.bernoulli_(share, generator);
    return;
  }
  // Drawing is what dropout spends its time on, and bernoulli_ draws 64 bits for each element.
  const at::Tensor bits = at::empty({(keep.numel() + 1) / 2}, at::kLong)
                              .random_(std::numeric_limits<int64_t>::min(), c10::nullopt, generator)
                              .view(at::kInt)
                              .narrow(0, 0, keep.numel())
                              .view(keep.sizes());
  const int64_t kept_numbers = std::max<int64_t>(std::llround(std::ldexp(share, 32)), 1);
  keep.copy_(bits.le(std::numeric_limits<int32_t>::min() + kept_numbers - 1));
}

}  // namespace

at::Tensor dropout(const at::Tensor& x, double p, const std::string& site,
                   const DropoutStep* step) {
  const at::Tensor factors = dropout_factors(x.sizes(), x.options(), p, site, step);
  return factors.defined() ? x * factors : x;
}

at::Tensor dropout_factors(at::IntArrayRef shape, const at::TensorOptions& options, double p,
                           const std::string& site, const DropoutStep* step) {
  if (p == 0 || step == nullptr) return {};
  if (p == 1) return at::zeros({}, options).expand(shape);  // as PyTorch: nothing is drawn
  const std::string purpose = purpose_of(*step, site);
  // Drawn on the CPU and moved, so that masks are the same on every device.
  at::Tensor keep = at::empty(shape, options.device(at::kCPU));
  if (step->sources.size() == 1) {
    draw(keep, 1 - p, step->sources.front(), purpose);
  } else {
    TORCH_CHECK(static_cast<int64_t>(step->sources.size()) == keep.size(0),
                "one source of dropout per replica");
    for (int64_t r = 0; r < keep.size(0); ++r) {
      draw(keep[r], 1 - p, step->sources[r], purpose);
    }
  }
  return keep.div_(1 - p).to(options.device());
}

}  // namespace qkvlab
