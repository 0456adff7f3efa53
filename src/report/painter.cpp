#include "report/painter.hpp"

#include <utility>

namespace qkvlab {

void Painter::put(std::string_view text, Colour foreground, Colour background) {
  const bool back_to_plain = (foreground == kPlain && foreground_ != kPlain) ||
                             (background == kPlain && background_ != kPlain);
  if (back_to_plain) {
    line_ += "\x1b[0m";
    foreground_ = background_ = kPlain;
  }
  if (foreground != foreground_) line_ += "\x1b[38;5;" + std::to_string(foreground) + "m";
  if (background != background_) line_ += "\x1b[48;5;" + std::to_string(background) + "m";
  foreground_ = foreground;
  background_ = background;
  line_ += text;
}

std::string Painter::finish() {
  put("");
  return std::move(line_);
}

}  // namespace qkvlab
