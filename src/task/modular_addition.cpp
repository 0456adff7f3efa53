#include <ATen/ATen.h>

#include "config/held_out.hpp"
#include "layers/loss.hpp"
#include "task/factories.hpp"

namespace qkvlab {

namespace {

/// Draws nothing: which pairs are in which split, and their numbers, are the same for every seed.
class ModularAdditionExamples : public Task {
 public:
  ModularAdditionExamples(const ModularAdditionTask& config, const TaskShape& shape)
      : Task(shape), modulus_(config.modulus), questions_(held_out_pairs(config)) {}

  int64_t examples(Split split) const override {
    return static_cast<int64_t>(numbers_of(split).size());
  }

  Sampling sampling() const override { return Sampling::kShuffled; }

  Batch batch(Split split, at::ArrayRef<int64_t> numbers) const override {
    const auto count = static_cast<int64_t>(numbers.size());
    Batch batch;
    batch.input.tokens = at::empty({count, shape().length}, at::kLong);           // [B, 3]
    batch.targets = at::full({count, shape().length}, kUnsupervised, at::kLong);  // [B, 3]
    auto* tokens = batch.input.tokens.data_ptr<int64_t>();
    auto* targets = batch.targets.data_ptr<int64_t>();
    for (const int64_t number : numbers) {
      questions_.write(numbers_of(split).at(number), tokens);
      tokens[2] = modulus_;
      targets[2] = (tokens[0] + tokens[1]) % modulus_;
      tokens += shape().length;
      targets += shape().length;
    }
    return batch;
  }

  std::string token_text(int64_t token) const override {
    return token == modulus_ ? "=" : std::to_string(token);
  }

 private:
  const std::vector<int64_t>& numbers_of(Split split) const {
    return split == Split::kTrain ? trained_ : tested_;
  }

  int64_t modulus_;
  HeldOutQuestions questions_;
  std::vector<int64_t> trained_ = questions_.numbers(false);
  std::vector<int64_t> tested_ = questions_.numbers(true);
};

}  // namespace

std::unique_ptr<Task> new_task(const ModularAdditionTask& config, const RandomSource&,
                               const Limits& limits) {
  return std::make_unique<ModularAdditionExamples>(config, task_shape(config, limits));
}

}  // namespace qkvlab
