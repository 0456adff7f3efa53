#include "layers/loss.hpp"

#include <ATen/ATen.h>

#include <algorithm>

#include "layers/replica_shape.hpp"

namespace qkvlab {

namespace {

/// targets [...] or [R, ...] to [R, N] (R = 1 where there are no replicas).
at::Tensor targets_by_replica(const at::Tensor& logits, const at::Tensor& targets,
                              int64_t replicas) {
  if (replicas > 0) check_replicas(logits, replicas);
  const int64_t groups = std::max<int64_t>(replicas, 1);
  const at::IntArrayRef positions = logits.sizes().slice(0, logits.dim() - 1);
  TORCH_CHECK(
      targets.sizes() == positions || (replicas > 0 && targets.sizes() == positions.slice(1)),
      "targets ", targets.sizes(), " do not fit logits ", logits.sizes());
  const int64_t per_group = logits.numel() / logits.size(-1) / groups;
  const int64_t shared = targets.numel() == per_group ? 1 : groups;
  return targets.reshape({shared, per_group}).expand({groups, per_group});
}

/// The mean of `values` [R, N] over the supervised positions: [R], or [] without replicas.
at::Tensor supervised_mean(const at::Tensor& values, const at::Tensor& supervised,
                           int64_t replicas) {
  const at::Tensor counts = supervised.sum(-1).clamp_min(1);
  const at::Tensor means = values.masked_fill(~supervised, 0).sum(-1) / counts;  // [R]
  return replicas == 0 ? means.squeeze(0) : means;
}

}  // namespace

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets, int64_t replicas) {
  const at::Tensor expected = targets_by_replica(logits, targets, replicas);  // [R, N]
  const at::Tensor flat = expected.reshape(-1);                               // [R * N]
  const at::Tensor rows = logits.reshape({-1, logits.size(-1)});              // [R * N, K]
  if (replicas == 0) {
    // Summed by LibTorch's own loss, so that a single model's loss has the last bit of PyTorch's.
    const at::Tensor sum =
        at::cross_entropy_loss(rows, flat, {}, at::Reduction::Sum, kUnsupervised);
    return sum / (flat != kUnsupervised).sum().clamp_min(1);
  }
  const at::Tensor losses =
      at::cross_entropy_loss(rows, flat, {}, at::Reduction::None, kUnsupervised);  // [R * N]
  return supervised_mean(losses.view_as(expected), expected != kUnsupervised, replicas);
}

at::Tensor accuracy(const at::Tensor& logits, const at::Tensor& targets, int64_t replicas) {
  const at::Tensor expected = targets_by_replica(logits, targets, replicas);  // [R, N]
  const at::Tensor right = logits.argmax(-1).reshape(expected.sizes()) == expected;
  return supervised_mean(right.to(logits.scalar_type()), expected != kUnsupervised, replicas);
}

}  // namespace qkvlab
