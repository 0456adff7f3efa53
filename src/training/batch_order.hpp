#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "random/random_source.hpp"
#include "task/task.hpp"

namespace qkvlab {

/// Which training examples each step learns from.
///
/// Where a task shuffles, an epoch goes through a permutation drawn for "batch/<epoch>" (epochs
/// from 0), and its last batch may be short; a batch that holds all examples takes them in their
/// own order. Where examples are drawn anywhere, those of step s (from 0) are drawn for
/// "batch/<s>". Where they are endless, step s takes the next ones. So under `keyed` a step's batch
/// depends on seed and step alone; under `torch_stream` the permutations come one after the other
/// from the data's stream.
class BatchOrder {
 public:
  /// `task` and the batches of `batch_size` examples are those of one step. Refers to the task.
  BatchOrder(const Task& task, RandomSource data, int64_t batch_size);

  /// The batches of one epoch; 0 where the task has no epochs.
  int64_t steps_per_epoch() const;

  /// Whether every step takes all examples in their own order, whatever the seed.
  bool is_fixed() const {
    return task_.sampling() == Sampling::kShuffled && batch_size_ >= task_.examples(Split::kTrain);
  }

  /// The examples of the next step, the first being step 0.
  std::vector<int64_t> next();

  /// Makes the next step be `step`, as if those before it had been taken; never one before the
  /// next. Under `keyed` it takes no longer for a later one.
  void skip_to(int64_t step);

 private:
  void begin_epoch(int64_t epoch);

  const Task& task_;
  RandomSource data_;
  int64_t batch_size_;
  int64_t step_ = 0;
  int64_t epoch_ = -1;      // that permutation_ is of
  at::Tensor permutation_;  // of the current epoch
};

}  // namespace qkvlab
