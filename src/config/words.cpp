#include "config/words.hpp"

namespace qkvlab {

namespace {

constexpr std::string_view kIdeographicSpace = "\xE3\x80\x80";  // U+3000

/// Bytes of the blank at `at`, 0 where there is none.
size_t blank_bytes(std::string_view text, size_t at) {
  const char byte = text[at];
  if (byte == ' ' || byte == '\t' || byte == '\r') return 1;
  const bool wide = text.compare(at, kIdeographicSpace.size(), kIdeographicSpace) == 0;
  return wide ? kIdeographicSpace.size() : 0;
}

}  // namespace

std::string_view next_word(std::string_view text, size_t& at) {
  while (at < text.size() && blank_bytes(text, at) > 0) at += blank_bytes(text, at);
  const size_t begin = at;
  while (at < text.size() && text[at] != '\n' && blank_bytes(text, at) == 0) ++at;
  if (at == begin && at < text.size()) ++at;  // a newline
  return text.substr(begin, at - begin);
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  size_t at = 0;
  while (true) {
    const std::string_view word = next_word(text, at);
    if (word.empty()) return words;
    words.emplace_back(word);
  }
}

}  // namespace qkvlab
