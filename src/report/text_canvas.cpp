#include "report/text_canvas.hpp"

#include <algorithm>
#include <cmath>

#include "base/utf8.hpp"

namespace qkvlab {

namespace {

constexpr size_t kDotsAcross = 2, kDotsDown = 4;
/// The bits of U+2800 by row and column of the dot (Unicode, Braille Patterns).
constexpr unsigned char kDotBits[kDotsDown][kDotsAcross] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
constexpr char32_t kBraille = 0x2800;

/// The nearest of `count` dots spread evenly over [0, 1], the first and the last at its ends.
size_t nearest_dot(double at, size_t count) {
  return static_cast<size_t>(
      std::lround(std::clamp(at, 0.0, 1.0) * static_cast<double>(count - 1)));
}

/// Whether a point lies in the picture, or so little outside that it is for rounding.
bool is_inside(CanvasPoint at) {
  constexpr double kLow = -1e-6, kHigh = 1 + 1e-6;
  return at.x >= kLow && at.x <= kHigh && at.y >= kLow && at.y <= kHigh;
}

void put_letter(char& place, char letter) { place = place == 0 || place == letter ? letter : '*'; }

}  // namespace

TextCanvas::TextCanvas(size_t columns, size_t lines, bool ascii)
    : columns_(columns), lines_(lines), ascii_(ascii), cells_(columns * lines) {}

size_t TextCanvas::line_of(double y) const {
  return nearest_dot(1 - y, lines_ * kDotsDown) / kDotsDown;
}

size_t TextCanvas::column_of(double x) const {
  return nearest_dot(x, columns_ * kDotsAcross) / kDotsAcross;
}

TextCanvas::Cell* TextCanvas::cell_at(CanvasPoint at) {
  if (!is_inside(at)) return nullptr;
  return &cells_[line_of(at.y) * columns_ + column_of(at.x)];
}

void TextCanvas::dot(CanvasPoint at, char letter, Colour colour) {
  Cell* cell = cell_at(at);
  if (cell == nullptr) return;
  cell->colour = colour;
  if (ascii_) {
    put_letter(cell->letter, letter);
  } else {
    const size_t row = nearest_dot(1 - at.y, lines_ * kDotsDown) % kDotsDown;
    const size_t column = nearest_dot(at.x, columns_ * kDotsAcross) % kDotsAcross;
    cell->dots |= kDotBits[row][column];
  }
}

void TextCanvas::draw(CanvasPoint from, CanvasPoint to, char letter, Colour colour) {
  // One dot for each that the line passes, in the direction in which these are more.
  const double across = std::abs(to.x - from.x) * static_cast<double>(columns_ * kDotsAcross - 1);
  const double down = std::abs(to.y - from.y) * static_cast<double>(lines_ * kDotsDown - 1);
  const auto count = static_cast<int64_t>(std::max(1.0, std::ceil(std::max(across, down))));
  for (int64_t i = 0; i <= count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count);
    dot({from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)}, letter, colour);
  }
}

void TextCanvas::bar(double x, double low, double high, Colour colour) {
  low = std::clamp(low, 0.0, 1.0);
  high = std::clamp(high, 0.0, 1.0);
  for (size_t line = line_of(high); line <= line_of(low); ++line) {
    Cell& cell = cells_[line * columns_ + column_of(x)];
    cell.bar = true;
    cell.colour = colour;
  }
}

void TextCanvas::mark(CanvasPoint at, char letter, Colour colour) {
  Cell* cell = cell_at(at);
  if (cell == nullptr) return;
  put_letter(cell->letter, letter);
  cell->colour = colour;
}

std::string TextCanvas::line(size_t line, bool colours) const {
  Painter painter;
  for (size_t column = 0; column < columns_; ++column) {
    const Cell& cell = cells_[line * columns_ + column];
    std::string glyph = " ";
    if (cell.letter != 0) {
      glyph = cell.letter;
    } else if (cell.bar) {
      glyph = ascii_ ? "|" : "│";
    } else if (cell.dots != 0) {
      glyph.clear();
      append_code_point(glyph, kBraille + cell.dots);
    }
    painter.put(glyph, colours && glyph != " " ? cell.colour : kPlain);
  }
  return painter.finish();
}

}  // namespace qkvlab
