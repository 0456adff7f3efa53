#include "cli/terminal_style.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/number_text.hpp"

namespace qkvlab {

bool takes_escapes(int stream) {
  const char* term = std::getenv("TERM");
  return isatty(stream) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

bool takes_colours(int stream) {
  const char* plain = std::getenv("NO_COLOR");
  return takes_escapes(stream) && (plain == nullptr || *plain == '\0');
}

size_t terminal_columns(int stream) {
  constexpr size_t kUnknown = 80;
  struct winsize size {};
  if (ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const std::optional<int64_t> said = parse_integer(columns == nullptr ? "" : columns);
  constexpr int64_t kMost = 10'000;
  return said && *said > 1 && *said <= kMost ? static_cast<size_t>(*said) : kUnknown;
}

TextStyle text_style(const std::string& out) {
  TextStyle style;
  if (out.empty()) style.width = terminal_columns(STDOUT_FILENO);
  style.ascii = !locale_is_utf8();
  return style;
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
