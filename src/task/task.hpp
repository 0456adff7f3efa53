#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "config/limits.hpp"
#include "config/task_config.hpp"
#include "random/random_source.hpp"
#include "task/batch.hpp"

namespace qkvlab {

enum class Split { kTrain, kHeldOut };

/// How training goes through a task's examples.
enum class Sampling {
  kShuffled,  // epoch by epoch, each in a new order
  kEndless,   // step by step new examples: example i is made of the seed and i
  kAnywhere,  // each drawn anew from all of them (windows of a text overlap)
};

/// What is learned: numbered examples, and batches of them. A task makes its examples of the seed
/// and their numbers alone, so that it can be picked up at any step.
class Task {
 public:
  virtual ~Task() = default;

  const TaskShape& shape() const { return shape_; }

  /// How many examples a split has; of kTrain 0 where sampling() is kEndless, of kHeldOut 0 where
  /// nothing is held out.
  virtual int64_t examples(Split split) const = 0;

  virtual Sampling sampling() const = 0;

  /// The examples with these numbers, from 0. Token ids [B, T] (with `valid` where sequences are
  /// padded), targets [B, T] or [B] as shape() says.
  virtual Batch batch(Split split, at::ArrayRef<int64_t> numbers) const = 0;

  /// What records call the split: "train", and "test" or "validation" for what is held out.
  virtual std::string split_name(Split split) const {
    return split == Split::kTrain ? "train" : "test";
  }

  /// Whether a sequence asks for an answer of several tokens, so that the share of answers that are
  /// right as a whole (metric `exact`) says something.
  virtual bool has_long_answers() const { return false; }

  /// Whether some training examples are shorter than shape() says, and padded where others are not.
  virtual bool has_unequal_lengths() const { return false; }

  /// A token as people read it.
  virtual std::string token_text(int64_t token) const { return std::to_string(token); }

  /// A target, that is what one of the logits stands for, as people read it.
  virtual std::string target_text(int64_t target) const {
    return shape_.per_token ? token_text(target) : std::to_string(target);
  }

  /// XXH3-64 of the file that the task was read from, part of a run's identity; empty where there
  /// is none.
  virtual std::string file_digest() const { return {}; }

 protected:
  explicit Task(const TaskShape& shape) : shape_(shape) {}

 private:
  TaskShape shape_;
};

/// Makes the task of a config. `data` is the source of its examples; under `torch_stream` it is a
/// stream of its own, seeded as the model's. Reads the task's file where it has one; throws
/// UserError as reading does.
std::unique_ptr<Task> make_task(const TaskConfig& config, const RandomSource& data,
                                const Limits& limits = {});

}  // namespace qkvlab
