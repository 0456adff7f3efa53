#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/painter.hpp"

namespace qkvlab {

/// A place in a canvas: x from 0 at the left to 1 at the right, y from 0 at the bottom to 1 on top.
struct CanvasPoint {
  double x = 0, y = 0;
};

/// Lines and letters in a field of characters: lines in dots of Braille, eight to a character, or,
/// where only ASCII may be used, in letters.
class TextCanvas {
 public:
  TextCanvas(size_t columns, size_t lines, bool ascii);

  /// A straight line; what is outside is not drawn. In ASCII it is made of `letter`.
  void draw(CanvasPoint from, CanvasPoint to, char letter, Colour colour);
  /// A vertical bar through characters that hold no letter.
  void bar(double x, double low, double high, Colour colour);
  /// A letter; "*" where another one stands already.
  void mark(CanvasPoint at, char letter, Colour colour);

  /// The line from 0 on top that holds a height within [0, 1].
  size_t line_of(double y) const;
  /// The line `line` of the picture, from 0 on top; its colours left out unless `colours`.
  std::string line(size_t line, bool colours) const;

 private:
  struct Cell {
    char letter = 0;  // over everything else
    bool bar = false;
    unsigned char dots = 0;  // of U+2800
    Colour colour = kPlain;
  };
  size_t column_of(double x) const;
  Cell* cell_at(CanvasPoint at);  // null outside
  void dot(CanvasPoint at, char letter, Colour colour);

  size_t columns_, lines_;
  bool ascii_;
  std::vector<Cell> cells_;
};

}  // namespace qkvlab
