#pragma once

#include <string>
#include <string_view>

namespace qkvlab {

/// A colour of xterm's 256; kPlain is whatever the terminal has.
using Colour = int;
constexpr Colour kPlain = -1;

/// A line of coloured text. Escape sequences stand only where a colour changes, none where all is
/// plain, and the line ends as it began.
class Painter {
 public:
  void put(std::string_view text, Colour foreground = kPlain, Colour background = kPlain);
  /// The line; after it nothing is put.
  std::string finish();

 private:
  std::string line_;
  Colour foreground_ = kPlain, background_ = kPlain;
};

}  // namespace qkvlab
