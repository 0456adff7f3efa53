#include "report/table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/terminal.hpp"

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

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = printable(column.title);
}

void Table::add_row(std::vector<std::string> cells) {
  require(cells.size() == columns_.size(), "a table's row must have one cell per column");
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text(size_t indent) const {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const bool titled = std::any_of(titles.begin(), titles.end(),
                                  [](const std::string& title) { return !title.empty(); });
  if (titled) lines.push_back(std::move(titles));
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<size_t> widths(columns_.size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], display_width(line[i]));
  }
  std::string text;
  for (const auto& cells : lines) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      const bool left = columns_[i].align == Align::kLeft;
      line += left ? pad_right(cells[i], widths[i]) : pad_left(cells[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
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
  Table table(std::move(titles));
  for (size_t i = 0; i < row_count; ++i) {
    std::vector<std::string> row;
    if (!style.row_labels.empty()) row.push_back(style.row_labels[i]);
    // Padding every number makes all columns one width.
    for (size_t j = 0; j < column_count; ++j) {
      row.push_back(pad_left(cells[i * column_count + j], width));
    }
    table.add_row(std::move(row));
  }
  return table.text(style.indent);
}

}  // namespace qkvlab
