#include "report/map_layout.hpp"

#include <algorithm>
#include <utility>

#include "base/terminal.hpp"
#include "report/map_labels.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

// Longer tokens are shortened: one to a line, and two.
constexpr size_t kTokenColumns = 10, kPairedTokenColumns = 5;

/// "12 word", of two queries "12 word other"; without tokens "12".
std::vector<std::string> line_labels(const MapLayout& layout, int64_t queries,
                                     const std::vector<std::string>& tokens) {
  const size_t digits = std::to_string(queries - 1).size(), first = widest(tokens);
  std::vector<std::string> labels;
  for (int64_t row = 0; row < layout.grid.rows; row += layout.rows_to_line) {
    std::string label = pad_left(std::to_string(row * layout.grid.pooled), digits);
    if (!tokens.empty()) label += " " + tokens[row];
    if (!tokens.empty() && layout.rows_to_line > 1 && row + 1 < layout.grid.rows) {
      label = pad_right(label, digits + 1 + first) + " " + tokens[row + 1];
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

/// Cells that name their weights. Needs the tokens of queries and keys.
MapLayout with_numbers(const AttentionRecord& map, const TextStyle& style) {
  // "0.53" between blanks, after a shade where there are no colours.
  const size_t least = style.colours ? 6 : 7;
  MapLayout layout;
  layout.has_numbers = true;
  layout.grid = weight_grid(map, map.queries, map.keys);
  layout.keys = token_labels(map, map.keys, kTokenColumns);
  layout.queries = token_labels(map, map.queries, kTokenColumns);
  layout.names_tokens = true;
  layout.cell_columns = std::max(widest(layout.keys) + 2, least);
  return layout;
}

/// Cells of one look, as many as there are weights.
MapLayout with_looks(const AttentionRecord& map, size_t cell_columns, int64_t rows_to_line,
                     bool named) {
  MapLayout layout;
  layout.cell_columns = cell_columns;
  layout.rows_to_line = rows_to_line;
  layout.grid = weight_grid(map, map.queries, map.keys);
  layout.keys = token_labels(map, map.keys, kTokenColumns);
  if (!are_characters(layout.keys, cell_columns)) layout.keys.clear();
  std::vector<std::string> tokens;
  if (named) {
    tokens = token_labels(map, map.queries, rows_to_line > 1 ? kPairedTokenColumns : kTokenColumns);
  }
  layout.names_tokens = !tokens.empty();
  layout.queries = line_labels(layout, map.queries, tokens);
  return layout;
}

/// Cells of the mean of several weights.
MapLayout pooled(const AttentionRecord& map, int64_t rows_to_line, const MapRoom& room) {
  constexpr size_t kLeast = 8;  // columns and lines, however little room there is
  const size_t label = std::to_string(map.queries).size() + 1;
  const size_t columns = std::max(room.at_most, label + kLeast) - label;
  const size_t lines = std::max(room.lines, kLeast);
  MapLayout layout;
  layout.rows_to_line = rows_to_line;
  layout.grid =
      weight_grid(map, static_cast<int64_t>(lines) * rows_to_line, static_cast<int64_t>(columns));
  layout.queries = line_labels(layout, map.queries, {});
  return layout;
}

}  // namespace

size_t MapLayout::label_columns() const { return widest(queries); }

size_t MapLayout::columns() const { return label_columns() + 1 + cell_columns * grid.columns; }

MapLayout map_layout(const AttentionRecord& map, const TextStyle& style, const MapRoom& room) {
  const int64_t narrow_rows = style.colours && !style.ascii ? 2 : 1;
  const auto tokens = static_cast<int64_t>(map.tokens.size());
  std::vector<MapLayout> layouts;  // from the largest on
  if (tokens == map.queries && tokens == map.keys) layouts.push_back(with_numbers(map, style));
  layouts.push_back(with_looks(map, 2, 1, true));
  layouts.push_back(with_looks(map, 1, narrow_rows, true));
  layouts.push_back(with_looks(map, 1, narrow_rows, false));
  for (const size_t columns : {room.columns, room.at_most}) {
    for (MapLayout& layout : layouts) {
      if (layout.columns() <= columns && layout.queries.size() <= room.lines) {
        return std::move(layout);
      }
    }
  }
  return pooled(map, narrow_rows, room);
}

}  // namespace qkvlab
