#pragma once

#include <numeric>
#include <utility>

#include "layers/loss.hpp"
#include "model/model.hpp"
#include "support/tensors.hpp"
#include "task/task.hpp"

namespace qkvlab {

/// A model that is nothing but parameters, and says the logits that it was told to say.
class PlainModel : public ModelImpl {
 public:
  explicit PlainModel(const std::vector<std::pair<std::string, at::Tensor>>& parameters,
                      int64_t replicas = 0)
      : replicas_(replicas) {
    for (const auto& [name, value] : parameters) register_parameter(name, value);
  }

  /// logits() gives row [token] of this table for every token: [V, K].
  at::Tensor table;

  at::Tensor logits(const TokenInput& input, const at::Tensor& rows,
                    const DropoutStep*) const override {
    const at::Tensor flat = input.tokens.reshape(-1);
    const at::Tensor asked = rows.defined() ? flat.index_select(0, rows) : flat;
    return table.index_select(0, asked);
  }
  std::vector<at::Tensor> attention_weights(const TokenInput&) const override { return {}; }
  void visit_intermediates(const TokenInput&, const at::Tensor&, const DropoutStep*,
                           const Visitor&) const override {}
  int64_t replicas() const override { return replicas_; }

 private:
  int64_t replicas_;
};

/// Gives every parameter a gradient of random numbers, which belong to `seed`.
inline void set_gradients(const ModelImpl& model, uint64_t seed) {
  for (const at::Tensor& parameter : model.parameters()) {
    parameter.mutable_grad() = normal(parameter.sizes(), seed++, parameter.scalar_type());
  }
}

/// A task that is the examples it is given: the same ones in both splits.
class FixedTask : public Task {
 public:
  FixedTask(const TaskShape& shape, Batch all, Sampling sampling = Sampling::kShuffled)
      : Task(shape), all_(std::move(all)), sampling_(sampling) {}

  bool long_answers = false;

  int64_t examples(Split split) const override {
    if (split == Split::kTrain && sampling_ == Sampling::kEndless) return 0;
    return all_.input.tokens.size(0);
  }
  Sampling sampling() const override { return sampling_; }
  bool has_long_answers() const override { return long_answers; }
  Batch batch(Split, at::ArrayRef<int64_t> numbers) const override {
    const at::Tensor index = at::tensor(numbers, at::kLong) % all_.input.tokens.size(0);
    Batch batch;
    batch.input.tokens = all_.input.tokens.index_select(0, index);
    if (all_.input.valid.defined()) batch.input.valid = all_.input.valid.index_select(0, index);
    batch.targets = all_.targets.index_select(0, index);
    return batch;
  }

 private:
  Batch all_;
  Sampling sampling_;
};

/// `count` random sequences over the vocabulary V with targets for about half of their tokens, and
/// at least for the first.
inline FixedTask random_task(int64_t count, int64_t length, int64_t vocabulary,
                             Sampling sampling = Sampling::kShuffled) {
  Batch all;
  all.input.tokens = whole_numbers(vocabulary, {count, length}, 1);
  all.targets = whole_numbers(vocabulary, {count, length}, 2);
  at::Tensor unsupervised = whole_numbers(2, {count, length}, 3).to(at::kBool);
  unsupervised.select(1, 0).fill_(false);
  all.targets = all.targets.masked_fill(unsupervised, kUnsupervised);
  return {TaskShape{vocabulary, vocabulary, length, true}, all, sampling};
}

}  // namespace qkvlab
