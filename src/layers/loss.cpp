#include "layers/loss.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "layers/loss_loops.hpp"
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

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The losses [R] of logits [R, N, K] and targets [R, N], each a mean over supervised positions, in
/// one pass that finds the gradient too. LibTorch takes eight operations and a copy for each.
struct ReplicaLoss : torch::autograd::Function<ReplicaLoss> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& targets) {
    const at::Tensor given = logits.contiguous();
    const int64_t rows = given.size(1), classes = given.size(2);
    const at::Tensor slopes = at::empty(given.sizes(), given.options());
    const at::Tensor losses = at::empty({given.size(0)}, given.options());
    for (int64_t r = 0; r < given.size(0); ++r) {
      losses.data_ptr<float>()[r] =
          cross_entropy_rows(given.data_ptr<float>() + r * rows * classes,
                             targets.data_ptr<int64_t>() + r * targets.stride(0), rows, classes,
                             slopes.data_ptr<float>() + r * rows * classes);
    }
    context->save_for_backward({slopes});
    return losses;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "the loss of replicas has no second derivative");
    const at::Tensor slopes = context->get_saved_variables().front();
    // Of the sum of all losses, which is what a step asks for, the slopes are the gradient.
    if (gradients[0].eq(1).all().item<bool>()) return {slopes, {}};
    return {slopes * gradients[0].view({-1, 1, 1}), {}};
  }
};

/// ReplicaLoss, its targets [R, N] checked.
at::Tensor replica_loss(const at::Tensor& logits, const at::Tensor& targets) {
  const int64_t classes = logits.size(-1);
  const at::Tensor dense = targets.stride(1) == 1 ? targets : targets.contiguous();
  const auto* first = dense.data_ptr<int64_t>();
  for (int64_t r = 0; r < dense.size(0); ++r) {
    const auto* row = first + r * dense.stride(0);
    TORCH_CHECK(std::all_of(row, row + dense.size(1),
                            [&](int64_t target) {
                              return target == kUnsupervised || (target >= 0 && target < classes);
                            }),
                "targets must be from 0 to ", classes - 1);
    if (dense.stride(0) == 0) break;  // the same for all
  }
  return ReplicaLoss::apply(logits.reshape({dense.size(0), dense.size(1), classes}), dense);
}

}  // namespace

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets, int64_t replicas) {
  const at::Tensor expected = targets_by_replica(logits, targets, replicas);  // [R, N]
  if (replicas > 0 && logits.is_cpu() && logits.scalar_type() == at::kFloat) {
    return replica_loss(logits, expected);
  }
  const at::Tensor flat = expected.reshape(-1);                   // [R * N]
  const at::Tensor rows = logits.reshape({-1, logits.size(-1)});  // [R * N, K]
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
