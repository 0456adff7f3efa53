#pragma once

#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "layers/loss.hpp"
#include "support/temporary_folder.hpp"
#include "task/task.hpp"

namespace qkvlab {

inline std::unique_ptr<Task> make_task(const TaskConfig& config, uint64_t seed,
                                       RandomScheme scheme = RandomScheme::kKeyed) {
  return make_task(config, RandomSource(scheme, seed));
}

/// 0 to `count` - 1.
inline std::vector<int64_t> first_numbers(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// All examples of a split that has an end.
inline Batch all_of(const Task& task, Split split) {
  return task.batch(split, first_numbers(task.examples(split)));
}

/// The values of a matrix, row by row.
using Rows = std::vector<std::vector<int64_t>>;
inline Rows rows_of(const at::Tensor& matrix) {
  Rows rows;
  for (int64_t i = 0; i < matrix.size(0); ++i) {
    const at::Tensor row = matrix[i].contiguous();
    const auto* values = row.data_ptr<int64_t>();
    rows.emplace_back(values, values + row.numel());
  }
  return rows;
}

}  // namespace qkvlab
