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
  const int64_t place = step % steps_per_epoch();
  if (place == 0) begin_epoch(step / steps_per_epoch());
  const int64_t end = std::min((place + 1) * batch_size_, examples);
  return {permutation_.begin() + place * batch_size_, permutation_.begin() + end};
}

void BatchOrder::begin_epoch(int64_t epoch) {
  const int64_t examples = task_.examples(Split::kTrain);
  if (is_fixed()) {
    permutation_.resize(examples);
    std::iota(permutation_.begin(), permutation_.end(), 0);
  } else {
    permutation_ = numbers_of(
        at::randperm(examples, data_.generator(purpose_of(epoch)), at::TensorOptions(at::kLong)));
  }
}

void BatchOrder::skip_to(int64_t step) {
  require(step >= step_, "batches are taken in one direction");
  if (data_.scheme() == RandomScheme::kTorchStream) {
    // Drawn and thrown away, which is all that a stream can do; it takes microseconds a step.
    while (step_ < step) next();
    return;
  }
  step_ = step;
  const int64_t per_epoch = steps_per_epoch();
  if (per_epoch > 0 && step % per_epoch != 0) begin_epoch(step / per_epoch);
}

}  // namespace qkvlab
