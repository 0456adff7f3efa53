#include "task/drawn_task.hpp"

#include <ATen/ATen.h>

#include "base/error.hpp"
#include "layers/loss.hpp"

namespace qkvlab {

Batch DrawnTask::batch(Split split, at::ArrayRef<int64_t> numbers) const {
  const auto count = static_cast<int64_t>(numbers.size());
  const int64_t length = shape().length;
  const at::Tensor tokens = at::empty({count, length}, at::kLong);  // [B, T]
  const at::Tensor targets = shape().per_token
                                 ? at::full({count, length}, kUnsupervised, at::kLong)  // [B, T]
                                 : at::empty({count}, at::kLong);                       // [B]
  Example example{tokens.data_ptr<int64_t>(), targets.data_ptr<int64_t>()};
  const bool endless = split == Split::kTrain && train_examples_ == 0;
  const std::string purpose = split == Split::kTrain ? "train/" : "test/";
  for (const int64_t number : numbers) {
    require(number >= 0 && (endless || number < examples(split)), "no example has this number");
    const Draws draws(keyed_seed(seed_, purpose + std::to_string(number)));
    write(split, number, draws, example);
    example.tokens += length;
    example.targets += shape().per_token ? length : 1;
  }
  Batch batch;
  batch.input.tokens = tokens;
  batch.targets = targets;
  return batch;
}

}  // namespace qkvlab
