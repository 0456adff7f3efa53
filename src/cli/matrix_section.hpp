#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace qkvlab {

/// Rows and columns beyond this many are left out of a text, and the text says so.
constexpr int64_t kMaxShown = 24;

/// Terminal columns of a label; longer ones are cut, and end in "…".
constexpr size_t kMaxLabelWidth = 24;

/// What stands beside a matrix.
struct MatrixLabels {
  std::vector<std::string> rows;     // one per row, or none
  std::vector<std::string> columns;  // one per column, or none
};

/// "NAME  [3, 8]", then the matrix (one row for a vector) with its labels and a blank line.
std::string matrix_section(const std::string& name, const at::Tensor& matrix,
                           const MatrixLabels& labels = {}, int decimals = 4);

}  // namespace qkvlab
