#pragma once

#include "model/model.hpp"
#include "task/batch.hpp"

namespace qkvlab {

/// What a batch asks of a model, and nothing else of it.
struct Questions {
  TokenInput input;  // [B, T], or stacked [R, B, T]
  at::Tensor rows;   // int64 [N] (stacked [R, N]), the positions in the flattened [B * T] that are
                     // asked; undefined where all are, or one class per sequence
  at::Tensor targets;  // int64 [N] (stacked [R, N]), all of them supervised but where a part of a
                       // stacked batch asks less than another: the rest is kUnsupervised

  /// How many are supervised: int64 [], or [R] of a stacked batch.
  at::Tensor supervised() const;
};

/// The supervised positions of a batch (on the CPU), with its input on `device`.
Questions questions_of(const Batch& batch, at::Device device = at::kCPU);

/// The logits [N, K] of a single model where it is asked, or [R, N, K] of replicas; the head
/// computes no others.
at::Tensor answer(const ModelImpl& model, const Questions& questions,
                  const DropoutStep* dropout_step = nullptr);

}  // namespace qkvlab
