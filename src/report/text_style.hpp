#pragma once

#include <cstddef>

namespace qkvlab {

/// What pictures made of characters may use where they are shown.
struct TextStyle {
  size_t width = 80;     // columns
  bool colours = false;  // xterm's 256
  bool ascii = false;    // nothing but ASCII: no half-blocks, shades or Braille
};

}  // namespace qkvlab
