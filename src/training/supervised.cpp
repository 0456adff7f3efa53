#include "training/supervised.hpp"

#include <ATen/ATen.h>

#include "layers/loss.hpp"

namespace qkvlab {

Questions questions_of(const Batch& batch, at::Device device) {
  const bool stacked = batch.input.tokens.dim() == 3;
  const bool per_token = batch.targets.dim() == batch.input.tokens.dim();
  Questions questions;
  at::Tensor targets = stacked ? batch.targets.flatten(1) : batch.targets.reshape(-1);  // [B * T]
  const at::Tensor asked = targets != kUnsupervised;
  if (per_token && !asked.all().item<bool>()) {
    at::Tensor rows = asked.nonzero().select(-1, asked.dim() - 1);  // [N]
    if (stacked) {
      const at::Tensor counts = asked.sum(-1);  // [R]
      TORCH_CHECK((counts == counts[0]).all().item<bool>(), "stacked batches ask as many each");
      rows = rows.view({asked.size(0), -1});  // [R, N]
    }
    targets = targets.gather(-1, rows);
    questions.rows = rows.to(device);
  }
  questions.targets = targets.to(device);
  questions.input.tokens = batch.input.tokens.to(device);
  if (batch.input.valid.defined()) questions.input.valid = batch.input.valid.to(device);
  return questions;
}

at::Tensor answer(const ModelImpl& model, const Questions& questions,
                  const DropoutStep* dropout_step) {
  const at::Tensor logits = model.logits(questions.input, questions.rows, dropout_step);
  const int64_t outputs = logits.size(-1);
  return model.replicas() == 0 ? logits.reshape({-1, outputs})
                               : logits.reshape({model.replicas(), -1, outputs});
}

}  // namespace qkvlab
