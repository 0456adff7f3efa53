#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "attention/attend.hpp"
#include "attention/projections.hpp"
#include "layers/linear.hpp"

namespace qkvlab {

struct SelfAttentionOptions {
  ProjectionPlan plan;  // of a mode that attends
  int64_t width = 0;    // C
  int64_t heads = 1;    // H; must divide the width
  bool bias = true;     // of the projections, the output's included
  bool packed = false;
  double dropout = 0;  // on the attention weights
  bool exact = false;  // all by LibTorch's own operations, to the last bit
};

/// What self-attention computes on its way, in the order of computation; of a pass that keeps no
/// more than the logits need, the output alone.
struct SelfAttentionForward {
  QueryKeyValue projected;  // [B, H, T, Dh] each
  Attention attention;      // products, scores, weights [B, H, T, T]; context [B, H, T, Dh]
  at::Tensor output;        // [B, T, C]
};

/// Multi-head self-attention (Vaswani et al. 2017, section 3.2.2) with the projections of a plan
/// and a learned output projection `out_proj`.
class SelfAttentionImpl : public torch::nn::Module {
 public:
  /// Draws q, k, v, then the output projection.
  SelfAttentionImpl(const SelfAttentionOptions& options, const InitialValues& initial);

  /// x [B, T, C] (or [R, B, T, C]); `mask` as the scores of one head have it ([T, T] or [B, T, T]
  /// or with 1 for T).
  SelfAttentionForward forward(const at::Tensor& x, const Mask& mask = {},
                               const DropoutStep* dropout_step = nullptr,
                               Keep keep = Keep::kEverything) const;

  const SelfAttentionOptions& options() const { return options_; }

  Linear out_proj{nullptr};

 private:
  SelfAttentionOptions options_;
  std::string path_;  // names the site of its dropout
  Projections projections_;
};
TORCH_MODULE(SelfAttention);

}  // namespace qkvlab
