#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "report/text_style.hpp"

namespace qkvlab {

/// Rows and columns beyond this many are left out of a text, and the text says so.
constexpr int64_t kMaxShown = 24;

/// How much of a matrix is shown: of more than `whole` rows or columns the first `cut`.
struct Excerpt {
  int64_t whole = kMaxShown;
  int64_t cut = kMaxShown;

  int64_t of(int64_t count) const { return count <= whole ? count : cut; }
};

/// Terminal columns of a label; longer ones are cut, and end in "…".
constexpr size_t kMaxLabelWidth = 24;

/// What stands beside a matrix.
struct MatrixLabels {
  std::vector<std::string> rows;     // one per row, or none
  std::vector<std::string> columns;  // one per column, or none
};

/// "[3, 8]"
std::string shape_text(at::IntArrayRef shape);

/// "NAME  [3, 8]", then the matrix (one row for a vector) with its labels and a blank line.
std::string matrix_section(const TextStyle& style, const std::string& name,
                           const at::Tensor& matrix, const MatrixLabels& labels = {},
                           int decimals = 4, const Excerpt& excerpt = {});

}  // namespace qkvlab
