#include "training/supervised.hpp"

#include <ATen/ATen.h>

#include "layers/loss.hpp"

namespace qkvlab {

namespace {

/// The places of what is asked [R, P] of each part, [R, N], where N is what most ask; the others
/// are filled up with places that nothing is asked of.
at::Tensor stacked_rows(const at::Tensor& asked) {
  const at::Tensor counts = asked.sum(-1);  // [R]
  if ((counts == counts[0]).all().item<bool>()) {
    return asked.nonzero().select(-1, 1).view({asked.size(0), -1});
  }
  const at::Tensor order = std::get<1>(
      asked.to(at::kByte).sort(/*stable=*/true, /*dim=*/-1, /*descending=*/true));  // [R, P]
  return order.narrow(1, 0, counts.max().item<int64_t>());
}

}  // namespace

at::Tensor Questions::supervised() const { return (targets != kUnsupervised).sum(-1); }

Questions questions_of(const Batch& batch, at::Device device) {
  const bool stacked = batch.input.tokens.dim() == 3;
  const bool per_token = batch.targets.dim() == batch.input.tokens.dim();
  Questions questions;
  at::Tensor targets = stacked ? batch.targets.flatten(1) : batch.targets.reshape(-1);  // [B * T]
  const at::Tensor asked = targets != kUnsupervised;
  if (per_token && !asked.all().item<bool>()) {
    const at::Tensor rows = stacked ? stacked_rows(asked) : asked.nonzero().select(-1, 0);
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
