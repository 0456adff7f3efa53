#include "report/table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

/// Whether fixed decimals would run over the screen or hide everything behind zeros.
bool needs_exponents(const std::vector<double>& values) {
  constexpr double kLarge = 1e6;
  constexpr double kSmall = 1e-3;
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest >= kLarge || (largest > 0 && largest < kSmall);
}

std::string number_cell(double value, int decimals, bool exponents) {
  constexpr int kDigits = 5;
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return exponents ? significant(value, kDigits) : fixed(value, decimals);
}

}  // namespace

Table::Table(std::vector<Column> columns, size_t labels)
    : columns_(std::move(columns)), labels_(labels) {
  require(labels <= columns_.size(), "a table has no more labels than columns");
  for (Column& column : columns_) column.title = printable(column.title);
}

void Table::add_row(std::vector<std::string> cells) {
  require(cells.size() == columns_.size(), "a table's row must have one cell per column");
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

namespace {

constexpr size_t kGap = 2;  // blanks between columns

/// The columns of a line of cells that are so wide.
size_t width_of(const std::vector<size_t>& widths, size_t indent) {
  size_t width = indent;
  for (size_t i = 0; i < widths.size(); ++i) width += widths[i] + (i > 0 ? kGap : 0);
  return width;
}

std::vector<size_t> widths_of(const std::vector<std::vector<std::string>>& lines, size_t columns) {
  std::vector<size_t> widths(columns, 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], display_width(line[i]));
  }
  return widths;
}

/// The lines with the last cell of each broken between words into lines of at most `room` columns.
std::vector<std::vector<std::string>> with_last_cell_wrapped(
    const std::vector<std::vector<std::string>>& lines, size_t room) {
  std::vector<std::vector<std::string>> wrapped;
  for (const auto& line : lines) {
    std::istringstream pieces(paragraph("", line.back(), 0, room));
    std::vector<std::string> cells = line;
    for (std::string piece; std::getline(pieces, piece);) {
      cells.back() = piece;
      wrapped.push_back(cells);
      cells.assign(cells.size(), "");
    }
  }
  return wrapped;
}

}  // namespace

std::string Table::rows_text(const std::vector<Cells>& lines, const std::vector<size_t>& widths,
                             const std::vector<size_t>& shown, size_t indent) const {
  std::string text;
  for (const Cells& cells : lines) {
    std::string line(indent, ' ');
    for (const size_t i : shown) {
      if (i != shown.front()) line += std::string(kGap, ' ');
      const bool left = columns_[i].align == Align::kLeft;
      line += left ? pad_right(cells[i], widths[i]) : pad_left(cells[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string Table::blocks_text(const std::vector<Cells>& lines, const std::vector<size_t>& widths,
                               size_t indent, size_t width) const {
  std::string text;
  for (size_t begin = labels_, end; begin < columns_.size(); begin = end) {
    std::vector<size_t> shown(labels_);
    std::iota(shown.begin(), shown.end(), size_t{0});
    size_t taken =
        width_of({widths.begin(), widths.begin() + static_cast<ptrdiff_t>(labels_)}, indent);
    for (end = begin; end < columns_.size(); ++end) {
      taken += widths[end] + (shown.empty() ? 0 : kGap);
      if (taken > width && end > begin) break;
      shown.push_back(end);
    }
    text += (text.empty() ? "" : "\n") + rows_text(lines, widths, shown, indent);
  }
  return text;
}

std::string Table::lists_text(const std::vector<Cells>& lines, size_t indent, size_t width) const {
  const std::string before(indent, ' '), beneath(indent + kGap, ' ');
  size_t titles = 0;
  for (size_t i = labels_; i < columns_.size(); ++i) {
    titles = std::max(titles, display_width(lines.front()[i]));
  }
  std::string text;
  for (size_t row = 0; row < lines.size(); ++row) {
    std::string label;
    for (size_t i = 0; i < labels_; ++i) label += (i > 0 ? "  " : "") + lines[row][i];
    if (row > 0 || !label.empty()) text += paragraph(before, label, indent, width);
    if (row == 0) continue;  // what the labels are
    for (size_t i = labels_; i < columns_.size(); ++i) {
      const std::string &title = lines.front()[i], &cell = lines[row][i];
      if (cell.empty()) continue;
      const std::string beside = beneath + pad_right(title, titles) + "  " + cell;
      text += display_width(beside) <= width
                  ? beside + "\n"
                  : paragraph(beneath, title, indent + kGap, width) +
                        paragraph(beneath + "  ", cell, indent + 2 * kGap, width);
    }
  }
  return text;
}

std::string Table::text(size_t indent, const TextStyle& style) const {
  std::vector<Cells> lines;
  Cells titles;
  for (const Column& column : columns_) titles.push_back(in_style(column.title, style));
  const bool titled = std::any_of(titles.begin(), titles.end(),
                                  [](const std::string& title) { return !title.empty(); });
  if (titled) lines.push_back(titles);
  for (const Cells& row : rows_) {
    Cells& line = lines.emplace_back();
    for (const std::string& cell : row) line.push_back(in_style(cell, style));
  }
  std::vector<size_t> widths = widths_of(lines, columns_.size());
  std::vector<size_t> all(columns_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  if (width_of(widths, indent) <= style.width) return rows_text(lines, widths, all, indent);

  constexpr size_t kLeastRoom = 20;
  const size_t before_last = width_of(widths, indent) - widths.back();
  if (columns_.back().align == Align::kLeft && columns_.size() > labels_ &&
      before_last + kLeastRoom <= style.width) {
    lines = with_last_cell_wrapped(lines, style.width - before_last);
    return rows_text(lines, widths_of(lines, columns_.size()), all, indent);
  }
  const std::vector<size_t> labels(widths.begin(),
                                   widths.begin() + static_cast<ptrdiff_t>(labels_));
  const size_t widest =
      labels_ == columns_.size()
          ? 0
          : *std::max_element(widths.begin() + static_cast<ptrdiff_t>(labels_), widths.end());
  const bool fit_one_by_one = width_of(labels, indent) + kGap + widest <= style.width;
  if (fit_one_by_one || labels_ == 0) return blocks_text(lines, widths, indent, style.width);
  if (!titled) lines.insert(lines.begin(), titles);
  return lists_text(lines, indent, style.width);
}

std::string Table::markdown() const {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + markdown_text(cell) + " |";
    return text + "\n";
  };
  std::vector<std::string> titles, rules;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    rules.emplace_back(column.align == Align::kLeft ? "---" : "---:");
  }
  std::string text = line(titles) + "|";
  for (const std::string& rule : rules) text += " " + rule + " |";
  text += "\n";
  for (const auto& row : rows_) text += line(row);
  return text;
}

std::string markdown_text(std::string_view text) {
  std::string escaped;
  for (const char letter : printable(text)) {
    if (std::string_view("\\`*_{}[]<>&|#~").find(letter) != std::string_view::npos) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string matrix_text(const std::vector<double>& values, int64_t rows, int64_t columns,
                        const MatrixStyle& style) {
  const auto row_count = static_cast<size_t>(rows);
  const auto column_count = static_cast<size_t>(columns);
  require(values.size() == row_count * column_count, "a matrix must have rows * columns values");
  require(style.row_labels.empty() || style.row_labels.size() == row_count,
          "a matrix must have one label per row, or none");
  require(style.column_labels.empty() || style.column_labels.size() == column_count,
          "a matrix must have one label per column, or none");

  std::vector<std::string> cells;
  size_t width = 0;
  const bool exponents = needs_exponents(values);
  for (const double value : values) {
    cells.push_back(number_cell(value, style.decimals, exponents));
    width = std::max(width, cells.back().size());
  }
  for (const std::string& label : style.column_labels) {
    width = std::max(width, display_width(printable(label)));
  }

  std::vector<Table::Column> titles;
  if (!style.row_labels.empty()) titles.push_back({"", Align::kLeft});
  for (size_t j = 0; j < column_count; ++j) {
    titles.push_back({style.column_labels.empty() ? "" : style.column_labels[j], Align::kRight});
  }
  Table table(std::move(titles), style.row_labels.empty() ? 0 : 1);
  for (size_t i = 0; i < row_count; ++i) {
    std::vector<std::string> row;
    if (!style.row_labels.empty()) row.push_back(style.row_labels[i]);
    // Padding every number makes all columns one width.
    for (size_t j = 0; j < column_count; ++j) {
      row.push_back(pad_left(cells[i * column_count + j], width));
    }
    table.add_row(std::move(row));
  }
  return table.text(style.indent, style.text);
}

}  // namespace qkvlab
