#include "training/supervised.hpp"

#include <ATen/ATen.h>

#include "layers/loss.hpp"

namespace qkvlab {

Supervised supervised_logits(const ModelImpl& model, const Batch& batch,
                             const DropoutStep* dropout_step) {
  Supervised result;
  const at::Tensor flat = batch.targets.reshape(-1);  // [B * T] or [B]
  const bool per_token = batch.targets.dim() == 2;
  const at::Tensor asked = flat != kUnsupervised;
  if (per_token && !asked.all().item<bool>()) result.rows = asked.nonzero().squeeze(-1);  // [N]
  const at::Tensor logits = model.logits(batch.input, result.rows, dropout_step);
  result.logits = logits.reshape({-1, logits.size(-1)});
  result.targets = result.rows.defined() ? flat.index_select(0, result.rows) : flat;
  return result;
}

Batch to_device(const Batch& batch, at::Device device) {
  Batch moved = batch;
  moved.input.tokens = batch.input.tokens.to(device);
  if (batch.input.valid.defined()) moved.input.valid = batch.input.valid.to(device);
  moved.targets = batch.targets.to(device);
  return moved;
}

int64_t count_supervised(const Batch& batch) {
  return (batch.targets != kUnsupervised).sum().item<int64_t>();
}

}  // namespace qkvlab
