#include "cli/matrix_section.hpp"

#include <ATen/ATen.h>

#include <algorithm>

#include "base/terminal.hpp"
#include "layers/tensor_values.hpp"
#include "report/table.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

std::vector<std::string> first(const std::vector<std::string>& labels, int64_t count) {
  const auto kept = std::min(labels.size(), static_cast<size_t>(count));
  std::vector<std::string> shown;
  for (size_t i = 0; i < kept; ++i) shown.push_back(shorten(labels[i], kMaxLabelWidth));
  return shown;
}

}  // namespace

std::string shape_text(at::IntArrayRef shape) {
  std::string text = "[";
  for (const int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

std::string matrix_section(const TextStyle& style, const std::string& name,
                           const at::Tensor& matrix, const MatrixLabels& labels, int decimals,
                           const Excerpt& excerpt) {
  const at::Tensor whole = matrix.dim() == 1 ? matrix.unsqueeze(0) : matrix;
  const int64_t rows = excerpt.of(whole.size(0));
  const int64_t columns = excerpt.of(whole.size(1));
  MatrixStyle shown_so;
  shown_so.decimals = decimals;
  shown_so.row_labels = first(labels.rows, rows);
  shown_so.column_labels = first(labels.columns, columns);
  shown_so.text = style;
  const at::Tensor shown = whole.narrow(0, 0, rows).narrow(1, 0, columns);
  std::string text = fitted(name + "  " + shape_text(matrix.sizes()), 2, style.width);
  text += matrix_text(double_values(shown), rows, columns, shown_so);
  if (rows < whole.size(0) || columns < whole.size(1)) {
    text += "  … the first " + std::to_string(rows) + " × " + std::to_string(columns) + "\n";
  }
  return text + "\n";
}

}  // namespace qkvlab
