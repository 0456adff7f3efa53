#include "training/batch_order.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace qkvlab {

namespace {

std::vector<int64_t> numbers_of(const at::Tensor& tensor) {
  const int64_t* begin = tensor.data_ptr<int64_t>();
  return {begin, begin + tensor.numel()};
}

std::string purpose_of(int64_t number) { return "batch/" + std::to_string(number); }

}  // namespace

BatchOrder::BatchOrder(const Task& task, RandomSource data, int64_t batch_size)
    : task_(task), data_(std::move(data)), batch_size_(batch_size) {}

int64_t BatchOrder::steps_per_epoch() const {
  if (task_.sampling() != Sampling::kShuffled) return 0;
  return (task_.examples(Split::kTrain) + batch_size_ - 1) / batch_size_;
}

std::vector<int64_t> BatchOrder::next() {
  const int64_t step = step_++;
  const int64_t examples = task_.examples(Split::kTrain);
  switch (task_.sampling()) {
    case Sampling::kEndless: {
      std::vector<int64_t> numbers(batch_size_);
      std::iota(numbers.begin(), numbers.end(), step * batch_size_);
      return numbers;
    }
    case Sampling::kAnywhere:
      return numbers_of(at::randint(examples, {batch_size_}, data_.generator(purpose_of(step)),
                                    at::TensorOptions(at::kLong)));
    case Sampling::kShuffled:
      break;
  }
  const int64_t place = step % steps_per_epoch(), epoch = step / steps_per_epoch();
  const int64_t first = place * batch_size_, count = std::min(batch_size_, examples - first);
  if (is_fixed()) {
    std::vector<int64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  if (epoch != epoch_) begin_epoch(epoch);
  return numbers_of(permutation_.narrow(0, first, count));
}

void BatchOrder::begin_epoch(int64_t epoch) {
  epoch_ = epoch;
  permutation_ = at::Tensor();  // first, so that there are never two of many examples
  permutation_ = at::randperm(task_.examples(Split::kTrain), data_.generator(purpose_of(epoch)),
                              at::TensorOptions(at::kLong));
}

void BatchOrder::skip_to(int64_t step) {
  require(step >= step_, "batches are taken in one direction");
  if (data_.scheme() == RandomScheme::kKeyed) step_ = step;  // of which each batch is a function
  // Drawn and thrown away, which is all that a stream can do; it takes microseconds a step.
  while (step_ < step) next();
}

}  // namespace qkvlab
