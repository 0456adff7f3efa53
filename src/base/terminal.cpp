#include "base/terminal.hpp"

#include <locale.h>
#include <wchar.h>

#include <map>

#include "base/utf8.hpp"

namespace qkvlab {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

locale_t utf8_locale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

/// The calling thread's locale, for a while: the process's own stays as it is. Where the C library
/// has no C.UTF-8, nothing changes and characters that it does not know count one column.
class ThreadLocale {
 public:
  explicit ThreadLocale(locale_t locale) : previous_(uselocale(locale)) {}
  ~ThreadLocale() { uselocale(previous_); }
  ThreadLocale(const ThreadLocale&) = delete;
  ThreadLocale& operator=(const ThreadLocale&) = delete;

 private:
  locale_t previous_;
};

bool acts_on_a_terminal(char32_t c) {
  const auto within = [c](char32_t low, char32_t high) { return low <= c && c <= high; };
  return c < 0x20 || within(0x7F, 0x9F)                        // control characters
         || within(0x2028, 0x2029)                             // line and paragraph separator
         || c == 0x061C || within(0x200E, 0x200F)              // bidirectional marks,
         || within(0x202A, 0x202E) || within(0x2066, 0x206F);  // embeddings and overrides
}

/// What tables and formulas use beyond ASCII.
const std::map<std::string_view, const char*>& ascii_spellings() {
  static const std::map<std::string_view, const char*> spellings = {
      {"…", "~"},  {"␣", "_"},  {"±", "+-"}, {"Δ", "delta"}, {"−", "-"},  {"–", "-"},
      {"—", "-"},  {"×", "x"},  {"·", "*"},  {"√", "sqrt "}, {"≤", "<="}, {"≥", ">="},
      {"‖", "||"}, {"ᵀ", "^T"}, {"─", "-"},  {"→", "->"}};
  return spellings;
}

}  // namespace

size_t display_width(std::string_view text) {
  const ThreadLocale locale(utf8_locale());
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const auto code_point = next_code_point(text, at);
    if (!code_point) ++at;
    const int columns = wcwidth(static_cast<wchar_t>(code_point.value_or(kReplacement)));
    width += columns < 0 ? 1 : static_cast<size_t>(columns);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const auto code_point = next_code_point(text, at);
    if (!code_point) ++at;
    const bool safe = code_point && !acts_on_a_terminal(*code_point);
    append_code_point(shown, safe ? *code_point : kReplacement);
  }
  return shown;
}

std::string ascii_of(std::string_view text) {
  std::string ascii;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (!next_code_point(text, at)) ++at;
    const std::string_view character = text.substr(begin, at - begin);
    const bool is_ascii = character.size() == 1 && static_cast<unsigned char>(text[begin]) < 0x80;
    if (is_ascii) {
      ascii += character;
    } else if (const auto spelt = ascii_spellings().find(character);
               spelt != ascii_spellings().end()) {
      ascii += spelt->second;
    } else {
      ascii += std::string(display_width(character), '?');
    }
  }
  return ascii;
}

std::string shorten(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t end = 0;
  for (size_t at = 0; at < text.size();) {
    if (!next_code_point(text, at)) ++at;
    if (display_width(text.substr(0, at)) > width - 1) break;
    end = at;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string pad_right(std::string_view text, size_t width) {
  const size_t taken = display_width(text);
  return std::string(text) + std::string(taken < width ? width - taken : 0, ' ');
}

std::string pad_left(std::string_view text, size_t width) {
  const size_t taken = display_width(text);
  return std::string(taken < width ? width - taken : 0, ' ') + std::string(text);
}

}  // namespace qkvlab
