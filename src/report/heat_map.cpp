#include "report/heat_map.hpp"

#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "report/painter.hpp"
#include "report/weight_grid.hpp"

namespace qkvlab {

namespace {

/// What stands above the columns: tokens, or numbers as far apart as they must be.
std::string header(const MapLayout& layout) {
  const size_t cell = layout.cell_columns;
  std::string line(layout.label_columns() + 1, ' ');
  if (layout.has_numbers) {
    for (const std::string& key : layout.keys) line += pad_left(key, cell - 1) + " ";
  } else if (!layout.keys.empty()) {
    for (const std::string& key : layout.keys) line += pad_right(key, cell);
  } else {
    const int64_t every = cell > 1 ? 5 : 10;
    for (int64_t column = 0; column < layout.grid.columns; column += every) {
      line += pad_right(std::to_string(column * layout.grid.pooled), cell * every);
    }
  }
  return line;
}

CellLook look_of(const WeightGrid::Cell& cell, const WeightScale& scale) {
  switch (cell.kind) {
    case WeightGrid::Kind::kNothing:
      return scale.of_nothing();
    case WeightGrid::Kind::kNotFinite:
      return scale.of_not_finite();
    case WeightGrid::Kind::kWeight:
      break;
  }
  return scale.of_weight(cell.weight);
}

/// The weight on the colour of its cell, or after its shade.
void put_number(Painter& line, const WeightGrid::Cell& cell, const CellLook& look, size_t columns) {
  const bool known = cell.kind == WeightGrid::Kind::kWeight;
  const std::string shade = look.background == kPlain ? look.glyph : "";
  const std::string number = known ? shorten(fixed(cell.weight, 2), columns - 2) : look.glyph;
  line.put(shade + pad_left(number, columns - 1 - display_width(shade)) + " ", look.foreground,
           look.background);
}

std::string drawn_line(const MapLayout& layout, int64_t row, const WeightScale& scale) {
  Painter line;
  line.put(pad_right(layout.queries[row / layout.rows_to_line], layout.label_columns()) + " ");
  for (int64_t column = 0; column < layout.grid.columns; ++column) {
    const WeightGrid::Cell& cell = layout.grid.at(row, column);
    const CellLook look = look_of(cell, scale);
    if (layout.has_numbers) {
      put_number(line, cell, look, layout.cell_columns);
    } else if (layout.rows_to_line == 1) {
      for (size_t i = 0; i < layout.cell_columns; ++i) {
        line.put(look.glyph, look.foreground, look.background);
      }
    } else {
      const bool has_lower = row + 1 < layout.grid.rows;
      line.put("▀", look.background,
               has_lower ? look_of(layout.grid.at(row + 1, column), scale).background : kPlain);
    }
  }
  return line.finish();
}

/// What the picture alone does not say.
void add_notes(TextBlock& block, const AttentionRecord& map, const MapLayout& layout) {
  const bool has_glyphs = layout.rows_to_line == 1;
  if (layout.grid.pooled > 1) {
    const std::string size = std::to_string(layout.grid.pooled);
    block.add("each cell is the mean of " + size + " x " + size + " weights");
  }
  if (const int64_t count = queries_of_nothing(map); count > 0) {
    block.add(std::to_string(count) + " of the queries attend to nothing (" +
              (has_glyphs ? "x" : "grey") + ")");
  }
  if (const int64_t count = weights_not_finite(map); count > 0) {
    block.add(std::to_string(count) + " of the weights are not finite (" +
              (has_glyphs ? "?" : "red") + ")");
  }
}

}  // namespace

HeatMap heat_map(const AttentionRecord& map, const std::vector<std::string>& title,
                 const WeightScale& scale, const TextStyle& style, const MapRoom& room) {
  HeatMap drawn;
  for (const std::string& line : title) drawn.block.add(shorten(line, room.at_most));
  if (map.queries == 0 || map.keys == 0) {
    drawn.block.add("the map is empty");
    return drawn;
  }
  const MapLayout layout = map_layout(map, style, room);
  drawn.names_tokens = layout.names_tokens;
  drawn.block.add(header(layout));
  for (int64_t row = 0; row < layout.grid.rows; row += layout.rows_to_line) {
    drawn.block.add(drawn_line(layout, row, scale), layout.columns());
  }
  add_notes(drawn.block, map, layout);
  return drawn;
}

}  // namespace qkvlab
