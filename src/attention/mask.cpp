#include "attention/mask.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

Mask::Mask(at::Tensor allowed) : Mask(std::move(allowed), true) {}

Mask::Mask(at::Tensor allowed, bool may_have_dead_rows) : allowed_(std::move(allowed)) {
  TORCH_CHECK(allowed_.scalar_type() == at::kBool && allowed_.dim() >= 2,
              "a mask is bool [..., Tq, Tk], got ", allowed_.sizes());
  blocked_ = ~allowed_;
  if (!may_have_dead_rows) return;
  const at::Tensor dead = blocked_.all(-1, /*keepdim=*/true);  // [..., Tq, 1]
  if (dead.any().item<bool>()) dead_rows_ = dead;
}

Mask Mask::causal(int64_t queries, int64_t keys, at::Device device) {
  // Every query sees key 0.
  return {at::ones({queries, keys}, at::device(device).dtype(at::kBool)).tril(), keys == 0};
}

Mask Mask::key_padding(const at::Tensor& valid) {
  return Mask(valid.unsqueeze(-2));  // [..., 1, Tk]
}

Mask Mask::operator&(const Mask& other) const {
  if (!allowed_.defined()) return other;
  if (!other.allowed_.defined()) return *this;
  return Mask(allowed_ & other.allowed_);
}

Mask Mask::for_heads() const {
  if (!allowed_.defined()) return *this;
  Mask mask = *this;
  mask.allowed_ = allowed_.unsqueeze(-3);  // [..., 1, Tq, Tk]
  mask.blocked_ = blocked_.unsqueeze(-3);
  if (dead_rows_.defined()) mask.dead_rows_ = dead_rows_.unsqueeze(-3);
  return mask;
}

}  // namespace qkvlab
