#pragma once

#include <cmath>
#include <vector>

#include "support/tensors.hpp"

namespace qkvlab {

/// What attention by plain loops finds: weights [N, Tq, Tk] and context [N, Tq, Dv], in double.
struct LoopAttention {
  at::Tensor products, weights, context;
};

/// Attention by its definition, in double arithmetic: q [N, Tq, Dh], k [N, Tk, Dh], v [N, Tk, Dv],
/// `allowed` bool [N, Tq, Tk]. A query that may attend to nothing gets zeros.
inline LoopAttention attention_by_loops(const at::Tensor& q, const at::Tensor& k,
                                        const at::Tensor& v, const at::Tensor& allowed,
                                        double scale) {
  const at::Tensor qs = q.detach().to(at::kDouble).contiguous();
  const at::Tensor ks = k.detach().to(at::kDouble).contiguous();
  const at::Tensor vs = v.detach().to(at::kDouble).contiguous();
  const at::Tensor may = allowed.contiguous();
  LoopAttention result{at::zeros({q.size(0), q.size(1), k.size(1)}, at::kDouble),
                       at::zeros({q.size(0), q.size(1), k.size(1)}, at::kDouble),
                       at::zeros({q.size(0), q.size(1), v.size(2)}, at::kDouble)};
  const auto query = qs.accessor<double, 3>(), key = ks.accessor<double, 3>();
  const auto value = vs.accessor<double, 3>();
  const auto can_see = may.accessor<bool, 3>();
  auto products = result.products.accessor<double, 3>();
  auto weights = result.weights.accessor<double, 3>();
  auto context = result.context.accessor<double, 3>();
  for (int64_t n = 0; n < q.size(0); ++n) {
    for (int64_t i = 0; i < q.size(1); ++i) {
      double sum = 0;
      for (int64_t j = 0; j < k.size(1); ++j) {
        for (int64_t d = 0; d < q.size(2); ++d) products[n][i][j] += query[n][i][d] * key[n][j][d];
        if (!can_see[n][i][j]) continue;
        weights[n][i][j] = std::exp(scale * products[n][i][j]);
        sum += weights[n][i][j];
      }
      if (sum == 0) continue;
      for (int64_t j = 0; j < k.size(1); ++j) {
        weights[n][i][j] /= sum;
        for (int64_t d = 0; d < v.size(2); ++d) {
          context[n][i][d] += weights[n][i][j] * value[n][j][d];
        }
      }
    }
  }
  return result;
}

}  // namespace qkvlab
