#include "training/group_batches.hpp"

#include <ATen/ATen.h>

#include <algorithm>

#include "base/error.hpp"
#include "layers/loss.hpp"
#include "layers/tensor_values.hpp"

namespace qkvlab {

namespace {

std::string digest_of(const Batch& batch) {
  return digest({batch.input.tokens, batch.input.valid, batch.targets});
}

/// x [B, T] as [B, length], filled up on the right.
at::Tensor padded(const at::Tensor& x, int64_t length, int64_t value) {
  return at::constant_pad_nd(x, {0, length - x.size(-1)}, value);
}

std::vector<Batch> batches_of(const GroupTasks& tasks, Split split,
                              const std::vector<std::vector<int64_t>>& numbers) {
  const size_t count = std::max(tasks.size(), numbers.size());
  std::vector<Batch> batches;
  for (size_t i = 0; i < count; ++i) {
    const Task& task = *tasks[tasks.size() == 1 ? 0 : i];
    batches.push_back(task.batch(split, numbers[numbers.size() == 1 ? 0 : i]));
  }
  return batches;
}

/// A batch as long as the task's longest sequence, that says which of its tokens are valid even
/// where all are. Filled up only to the longest of the group, or only where a batch beside it is, a
/// run would be computed otherwise than alone.
Batch filled_up(Batch batch, int64_t length) {
  const at::Tensor& tokens = batch.input.tokens;
  if (!batch.input.valid.defined()) batch.input.valid = at::ones(tokens.sizes(), at::kBool);
  batch.input.valid = padded(batch.input.valid, length, 0);
  batch.input.tokens = padded(tokens, length, 0);
  if (batch.targets.dim() == 2) batch.targets = padded(batch.targets, length, kUnsupervised);
  return batch;
}

}  // namespace

Batch stack_batches(std::vector<Batch> batches) {
  if (batches.size() == 1) return std::move(batches.front());
  int64_t longest = 0;
  bool has_padding = false;
  for (const Batch& batch : batches) {
    const int64_t length = batch.input.tokens.size(-1);
    has_padding = has_padding || batch.input.valid.defined() || (longest > 0 && length != longest);
    longest = std::max(longest, length);
  }
  std::vector<at::Tensor> tokens, valid, targets;
  for (const Batch& batch : batches) {
    const at::Tensor& own = batch.input.tokens;
    tokens.push_back(padded(own, longest, 0));
    if (has_padding) {
      const at::Tensor all =
          batch.input.valid.defined() ? batch.input.valid : at::ones(own.sizes(), at::kBool);
      valid.push_back(padded(all, longest, 0));
    }
    targets.push_back(batch.targets.dim() == 2 ? padded(batch.targets, longest, kUnsupervised)
                                               : batch.targets);
  }
  Batch stacked;
  stacked.input.tokens = at::stack(tokens);                 // [R, B, T]
  if (has_padding) stacked.input.valid = at::stack(valid);  // [R, B, T]
  stacked.targets = at::stack(targets);                     // [R, B, T] or [R, B]
  return stacked;
}

Batch group_batch(const GroupTasks& tasks, Split split,
                  const std::vector<std::vector<int64_t>>& numbers) {
  return stack_batches(batches_of(tasks, split, numbers));
}

GroupBatches::GroupBatches(GroupTasks tasks, const std::vector<RandomSource>& data,
                           int64_t batch_size, int64_t accumulate, at::Device device)
    : tasks_(std::move(tasks)),
      runs_(data.size()),
      filled_up_(data.front().scheme() == RandomScheme::kKeyed &&
                 tasks_.front()->has_unequal_lengths()),
      batch_size_(batch_size),
      device_(device) {
  require(tasks_.size() == 1 || tasks_.size() == runs_, "one task for all runs, or each its own");
  for (const RandomSource& source : data) {
    orders_.emplace_back(*tasks_[tasks_.size() == 1 ? 0 : orders_.size()], source,
                         batch_size * accumulate);
    if (tasks_.size() == 1 && orders_.back().is_fixed()) break;
  }
}

std::vector<Questions> GroupBatches::next(const Seen& seen) {
  std::vector<std::vector<int64_t>> numbers;
  for (BatchOrder& order : orders_) numbers.push_back(order.next());
  const auto count = static_cast<int64_t>(numbers.front().size());
  std::vector<Questions> passes;
  for (int64_t begin = 0; begin < count; begin += batch_size_) {
    const int64_t end = std::min(begin + batch_size_, count);
    std::vector<std::vector<int64_t>> part;
    for (const auto& all : numbers) part.emplace_back(all.begin() + begin, all.begin() + end);
    passes.push_back(pass(part, seen));
  }
  return passes;
}

Questions GroupBatches::pass(const std::vector<std::vector<int64_t>>& numbers,
                             const Seen& seen) const {
  std::vector<Batch> batches = batches_of(tasks_, Split::kTrain, numbers);
  std::vector<std::string> digests;
  for (const Batch& batch : batches) digests.push_back(digest_of(batch));
  for (size_t run = 0; run < runs_; ++run) seen(run, digests[digests.size() == 1 ? 0 : run]);
  if (filled_up_) {
    const int64_t longest = tasks_.front()->shape().length;
    for (Batch& batch : batches) batch = filled_up(std::move(batch), longest);
  }
  return questions_of(stack_batches(std::move(batches)), device_);
}

void GroupBatches::skip_to(int64_t step) {
  for (BatchOrder& order : orders_) order.skip_to(step);
}

}  // namespace qkvlab
