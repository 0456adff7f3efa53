#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "training/batch_order.hpp"
#include "training/supervised.hpp"

namespace qkvlab {

/// The tasks of a group of runs: one that is the same for all of them (it reads a file), or each
/// run's own (its examples come from its seed).
using GroupTasks = std::vector<const Task*>;

/// The examples with these numbers: one list for all runs, or each run's own. Where task and
/// numbers are the same for all, so is the batch, [B, T]; else it is stacked: [R, B, T].
Batch group_batch(const GroupTasks& tasks, Split split,
                  const std::vector<std::vector<int64_t>>& numbers);

/// Batches of the same number of sequences as one, [R, B, T] with targets [R, B, T] or [R, B]. The
/// shorter ones are padded on the right to the longest, with token 0 and nothing asked.
Batch stack_batches(std::vector<Batch> batches);

/// What each step of a group learns from.
class GroupBatches {
 public:
  /// Told the digest of a run's batch, that of the run trained alone.
  using Seen = std::function<void(size_t run, const std::string& digest)>;

  /// `data` has the source of each run's batches. A step has up to `accumulate` forward passes of
  /// `batch_size` sequences. Refers to the tasks.
  GroupBatches(GroupTasks tasks, const std::vector<RandomSource>& data, int64_t batch_size,
               int64_t accumulate, at::Device device);

  /// As BatchOrder: the same for every run.
  int64_t steps_per_epoch() const { return orders_.front().steps_per_epoch(); }

  /// The next step's forward passes. Under `keyed` they are as long as the task's longest sequence,
  /// so that nothing of a run depends on its neighbours.
  std::vector<Questions> next(const Seen& seen);

  /// As BatchOrder.
  void skip_to(int64_t step);

 private:
  Questions pass(const std::vector<std::vector<int64_t>>& numbers, const Seen& seen) const;

  GroupTasks tasks_;
  std::vector<BatchOrder> orders_;  // one, where it is the same for all runs
  size_t runs_;
  bool filled_up_;
  int64_t batch_size_;
  at::Device device_;
};

}  // namespace qkvlab
