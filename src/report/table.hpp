#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/text_style.hpp"

namespace qkvlab {

enum class Align { kLeft, kRight };

/// A plain-text table whose columns line up on a terminal, Chinese text included. Cells pass
/// through printable(). No trailing blanks.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kRight;
  };
  /// The first `labels` columns say what a row is: they are repeated where the others do not fit
  /// beside each other.
  explicit Table(std::vector<Column> columns, size_t labels = 1);

  /// One row; as many cells as columns (checked).
  void add_row(std::vector<std::string> cells);

  /// The titles (left out where all are empty) and rows, each line indented by `indent` blanks and
  /// ended by '\n'; columns two blanks apart.
  ///
  /// No line is wider than `style.width`, but for a word that is wider by itself: text of the last
  /// column is continued on further lines; columns that do not fit stand in a table beneath, the
  /// labels before them again; and where not even one fits beside the labels, each row becomes a
  /// list of titles and cells. No cell is left out.
  std::string text(size_t indent = 2, const TextStyle& style = {}) const;

  /// The same as a table in Markdown.
  std::string markdown() const;

 private:
  using Cells = std::vector<std::string>;
  std::string rows_text(const std::vector<Cells>& lines, const std::vector<size_t>& widths,
                        const std::vector<size_t>& shown, size_t indent) const;
  std::string blocks_text(const std::vector<Cells>& lines, const std::vector<size_t>& widths,
                          size_t indent, size_t width) const;
  std::string lists_text(const std::vector<Cells>& lines, size_t indent, size_t width) const;

  std::vector<Column> columns_;
  size_t labels_;
  std::vector<std::vector<std::string>> rows_;
};

/// `text` on one line of Markdown, shown as it is: what Markdown or HTML would act on is escaped.
std::string markdown_text(std::string_view text);

/// Numbers of a matrix for people.
struct MatrixStyle {
  int decimals = 4;
  size_t indent = 2;
  std::vector<std::string> row_labels;     // one per row, or none
  std::vector<std::string> column_labels;  // one per column, or none
  TextStyle text = {};
};

/// A row-major matrix [rows, columns] with its labels, one row a line, columns of one width.
/// Numbers are written with exponents where the largest is 10⁶ or more, or below 10⁻³. Masked
/// scores read
/// "-inf".
std::string matrix_text(const std::vector<double>& values, int64_t rows, int64_t columns,
                        const MatrixStyle& style);

}  // namespace qkvlab
