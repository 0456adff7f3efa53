#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

#include "config/held_out.hpp"
#include "layers/loss.hpp"
#include "task/drawn_task.hpp"
#include "task/factories.hpp"

namespace qkvlab {

namespace {

class SequenceExamples : public DrawnTask {
 public:
  SequenceExamples(const SequenceTask& config, const TaskShape& shape,
                   std::optional<HeldOutQuestions> held_out, uint64_t seed)
      : DrawnTask(shape, config.train_examples, config.test_examples, seed),
        config_(config),
        held_out_(std::move(held_out)) {
    if (held_out_ && held_out_->listed()) tested_ = held_out_->numbers(true);
  }

  /// Takes the questions [examples, length] of both splits instead of drawing them one by one.
  void take_questions(const at::Tensor& train, const at::Tensor& test) {
    train_questions_ = train;
    test_questions_ = test;
  }

  int64_t examples(Split split) const override {
    if (split == Split::kHeldOut && !tested_.empty()) return static_cast<int64_t>(tested_.size());
    return DrawnTask::examples(split);
  }

  bool has_long_answers() const override { return config_.length > 1; }

 private:
  void write(Split split, int64_t number, Draws draws, const Example& example) const override {
    const int64_t length = config_.length;
    write_question(split, number, draws, example.tokens);
    if (config_.layout == SequenceLayout::kInPlace) {
      write_answer(example.tokens, example.targets);
      return;
    }
    int64_t* const answer = example.targets + length - 1;
    write_answer(example.tokens, answer);
    std::copy(answer, answer + length - 1, example.tokens + length);
  }

  void write_question(Split split, int64_t number, Draws& draws, int64_t* question) const {
    const at::Tensor& given = split == Split::kTrain ? train_questions_ : test_questions_;
    if (given.defined()) {
      const auto* first = given.data_ptr<int64_t>() + number * config_.length;
      std::copy(first, first + config_.length, question);
    } else if (split == Split::kHeldOut && !tested_.empty()) {
      held_out_->write(tested_[number], question);
    } else {
      do {
        std::generate(question, question + config_.length,
                      [&] { return draws.below(config_.symbols); });
      } while (held_out_ && held_out_->holds(question) != (split == Split::kHeldOut));
    }
  }

  void write_answer(const int64_t* question, int64_t* answer) const {
    const int64_t* const end = question + config_.length;
    switch (config_.rule) {
      case SequenceRule::kCopy:
        std::copy(question, end, answer);
        return;
      case SequenceRule::kReverse:
        std::reverse_copy(question, end, answer);
        return;
      case SequenceRule::kSort:
        std::copy(question, end, answer);
        std::sort(answer, answer + config_.length);
        return;
      case SequenceRule::kSwapHalves:
        std::rotate_copy(question, question + config_.length / 2, end, answer);
        return;
      case SequenceRule::kSubtract:
        std::transform(question, end, answer,
                       [&](int64_t symbol) { return config_.symbols - 1 - symbol; });
        return;
    }
  }

  SequenceTask config_;
  std::optional<HeldOutQuestions> held_out_;
  std::vector<int64_t> tested_;  // the numbers of all held-out questions where they are listed
  at::Tensor train_questions_;   // undefined unless taken
  at::Tensor test_questions_;
};

}  // namespace

std::unique_ptr<Task> new_task(const SequenceTask& config, const RandomSource& data,
                               const Limits& limits) {
  const TaskShape shape = task_shape(config, limits);
  std::optional<HeldOutQuestions> held_out;
  if (config.held_out) held_out.emplace(config.symbols, config.length, *config.held_out);
  const bool all_at_once =
      data.scheme() == RandomScheme::kTorchStream && config.train_examples > 0 && !config.held_out;
  // Drawing a seed would move the stream on.
  const uint64_t seed = all_at_once ? 0 : examples_seed(data);
  auto task = std::make_unique<SequenceExamples>(config, shape, std::move(held_out), seed);
  if (all_at_once) {
    const auto questions = [&](int64_t examples) {
      return at::randint(config.symbols, {examples, config.length}, data.generator("examples"),
                         at::kLong);  // [examples, L]
    };
    const at::Tensor train = questions(config.train_examples);
    task->take_questions(train, questions(config.test_examples));
  }
  return task;
}

}  // namespace qkvlab
