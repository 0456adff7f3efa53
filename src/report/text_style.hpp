#pragma once

#include <cstddef>
#include <string>

#include "base/terminal.hpp"

namespace qkvlab {

/// What text for people may use where it is shown.
struct TextStyle {
  size_t width = 80;     // columns
  bool colours = false;  // xterm's 256
  bool ascii = false;    // nothing but ASCII: no half-blocks, shades or Braille
};

/// `text` in the characters that a style has.
inline std::string in_style(const std::string& text, const TextStyle& style) {
  return style.ascii ? ascii_of(text) : text;
}

}  // namespace qkvlab
