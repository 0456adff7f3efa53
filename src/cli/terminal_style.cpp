#include "cli/terminal_style.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace qkvlab {

bool takes_escapes(int stream) {
  const char* term = std::getenv("TERM");
  const char* plain = std::getenv("NO_COLOR");
  return isatty(stream) == 1 && term != nullptr && std::string_view(term) != "dumb" &&
         (plain == nullptr || *plain == '\0');
}

size_t terminal_columns(int stream) {
  constexpr size_t kUnknown = 80;
  struct winsize size {};
  const bool known = ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : kUnknown;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* locale = std::getenv(name);
    if (locale == nullptr || *locale == '\0') continue;
    const std::string_view text = locale;
    for (const std::string_view known : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (text.find(known) != std::string_view::npos) return true;
    }
    return false;
  }
  return true;
}

}  // namespace qkvlab
