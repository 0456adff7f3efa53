#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace qkvlab {

/// A target that asks for nothing: its position counts neither in the loss nor in the accuracy.
constexpr int64_t kUnsupervised = -100;

/// Mean cross-entropy in nats over the supervised positions.
///
/// logits [..., K] with targets (int64) [...] give [] for `replicas` = 0. With R replicas, logits
/// [R, ..., K] with targets [...] (the same for all) or [R, ...] give [R]: each replica's own mean,
/// so that the sum over them has each replica's own gradient. A mean over no position at all is 0.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets, int64_t replicas = 0);

/// Share of supervised positions whose largest logit is the target's; shapes as cross_entropy.
at::Tensor accuracy(const at::Tensor& logits, const at::Tensor& targets, int64_t replicas = 0);

}  // namespace qkvlab
