#include "training/supervised.hpp"

#include <ATen/ATen.h>

#include "layers/loss.hpp"

namespace qkvlab {

Questions questions_of(const Batch& batch, at::Device device) {
  Questions questions;
  at::Tensor targets = batch.targets.reshape(-1);  // [B * T] or [B]
  const at::Tensor asked = targets != kUnsupervised;
  if (batch.targets.dim() == 2 && !asked.all().item<bool>()) {
    const at::Tensor rows = asked.nonzero().squeeze(-1);  // [N]
    targets = targets.index_select(0, rows);
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
  return logits.reshape({-1, logits.size(-1)});
}

}  // namespace qkvlab
