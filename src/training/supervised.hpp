#pragma once

#include "model/model.hpp"
#include "task/batch.hpp"

namespace qkvlab {

/// What a model says where a batch asks something, and what it should have said.
struct Supervised {
  at::Tensor logits;   // [N, K]
  at::Tensor targets;  // int64 [N], all of them supervised
  at::Tensor rows;  // int64 [N], positions in the flattened targets; undefined where all are asked
};

/// Runs a single model on a batch; its head computes the supervised positions alone.
Supervised supervised_logits(const ModelImpl& model, const Batch& batch,
                             const DropoutStep* dropout_step = nullptr);

/// The same batch on another device.
Batch to_device(const Batch& batch, at::Device device);

/// How many positions of a batch are supervised.
int64_t count_supervised(const Batch& batch);

}  // namespace qkvlab
