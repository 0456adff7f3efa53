#pragma once

#include "random/draws.hpp"
#include "task/task.hpp"

namespace qkvlab {

/// Where an example is written.
struct Example {
  int64_t* tokens;   // T of them
  int64_t* targets;  // T of them, all kUnsupervised before; or one, the class of the sequence
};

/// A task without a file: example i is drawn from a generator that the seed, the split and i alone
/// decide, whenever it is asked for.
class DrawnTask : public Task {
 public:
  int64_t examples(Split split) const override {
    return split == Split::kTrain ? train_examples_ : test_examples_;
  }

  Sampling sampling() const override {
    return train_examples_ == 0 ? Sampling::kEndless : Sampling::kShuffled;
  }

  Batch batch(Split split, at::ArrayRef<int64_t> numbers) const final;

 protected:
  /// `train_examples` = 0: without end. `seed` is that of all examples.
  DrawnTask(const TaskShape& shape, int64_t train_examples, int64_t test_examples, uint64_t seed)
      : Task(shape), train_examples_(train_examples), test_examples_(test_examples), seed_(seed) {}

 private:
  /// Writes example `number` of a split.
  virtual void write(Split split, int64_t number, Draws draws, const Example& example) const = 0;

  int64_t train_examples_;
  int64_t test_examples_;
  uint64_t seed_;
};

/// The seed of a drawn task's examples.
inline uint64_t examples_seed(const RandomSource& data) { return data.draw_seed("examples"); }

}  // namespace qkvlab
