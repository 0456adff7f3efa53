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

/// The files of the tasks that have one.
inline const TemporaryFolder& files() {
  static const TemporaryFolder folder;
  return folder;
}

inline void give_file(SentencesTask& task) {
  task.file = files().write("train.tsv", "0\ta b c\n1\ta\n0\td a\n1\tb b b b\n0\tc\n1\td\n");
  task.test_file = files().write("test.tsv", "1\tb c\n0\tnew a\n0\td d d d d\n1\tc a\n1\ta d\n");
}

inline void give_file(TextTask& task) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "line " + std::to_string(i * i % 97) + "\n";
  task.file = files().write("text.txt", text);
}

template <typename Other>
void give_file(Other&) {}

/// Every task of the registry with its defaults; those that read a file want give_file.
template <size_t... kIndex>
std::vector<TaskConfig> whole_registry(std::index_sequence<kIndex...>) {
  return {TaskConfig(std::in_place_index<kIndex>)...};
}

}  // namespace qkvlab
