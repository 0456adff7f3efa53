#include "attention/attend.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace qkvlab {

Attention attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const Mask& mask,
                 const AttendOptions& options) {
  TORCH_CHECK(q.dim() >= 2 && q.size(-1) == k.size(-1) && k.size(-2) == v.size(-2),
              "attend: q [..., Tq, Dh], k [..., Tk, Dh] and v [..., Tk, Dv] do not fit: ",
              q.sizes(), ", ", k.sizes(), ", ", v.sizes());
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

  Attention result;
  result.products = at::matmul(q, k.transpose(-2, -1));  // [..., Tq, Tk]
  // Divided, not multiplied by 1/√Dh, by default: PyTorch programs divide, and the last bit
  // differs.
  result.scores = options.scale ? result.products * *options.scale
                                : result.products / std::sqrt(static_cast<double>(q.size(-1)));
  if (mask.blocked().defined()) {
    result.scores = result.scores.masked_fill(mask.blocked(), kMinusInfinity);
  }
  if (mask.dead_rows().defined()) {
    // A row of nothing but -∞ has no softmax (LibTorch gives NaN, and NaN gradients). Such rows go
    // through the softmax as zeros, and both fills cut them off from the gradient.
    const at::Tensor safe = result.scores.masked_fill(mask.dead_rows(), 0);
    result.weights = at::softmax(safe, -1).masked_fill(mask.dead_rows(), 0);
  } else {
    result.weights = at::softmax(result.scores, -1);
  }
  const at::Tensor dropped =
      dropout(result.weights, options.dropout, options.site, options.dropout_step);
  result.context = at::matmul(dropped, v);  // [..., Tq, Dv]
  return result;
}

}  // namespace qkvlab
