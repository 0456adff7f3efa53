#include "layers/dropout.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

namespace {

std::string purpose_of(const DropoutStep& step, const std::string& site) {
  std::string pass = std::to_string(step.step);
  if (step.micro_batch > 0) pass += "." + std::to_string(step.micro_batch);
  return "dropout/" + pass + "/" + site;
}

}  // namespace

at::Tensor dropout(const at::Tensor& x, double p, const std::string& site,
                   const DropoutStep* step) {
  if (p == 0 || step == nullptr) return x;
  if (p == 1) return x * at::zeros({}, x.options());  // as PyTorch: nothing is drawn
  const std::string purpose = purpose_of(*step, site);
  // Drawn on the CPU and moved, so that masks are the same on every device.
  at::Tensor keep = at::empty(x.sizes(), x.options().device(at::kCPU));
  if (step->sources.size() == 1) {
    keep.bernoulli_(1 - p, step->sources.front().generator(purpose));
  } else {
    TORCH_CHECK(static_cast<int64_t>(step->sources.size()) == x.size(0),
                "one source of dropout per replica");
    for (int64_t r = 0; r < x.size(0); ++r) {
      keep[r].bernoulli_(1 - p, step->sources[r].generator(purpose));
    }
  }
  return x * keep.div_(1 - p).to(x.device());
}

}  // namespace qkvlab
