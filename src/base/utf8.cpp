#include "base/utf8.hpp"

#include <array>
#include <stdexcept>

namespace qkvlab {

namespace {

/// The smallest code point that needs as many bytes as the index.
constexpr std::array<char32_t, 5> kSmallestOfLength = {0, 0, 0x80, 0x800, 0x10000};

unsigned char byte_at(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

}  // namespace

std::optional<char32_t> next_code_point(std::string_view text, size_t& at) {
  const unsigned char lead = byte_at(text, at);
  if (lead < 0x80) {
    ++at;
    return lead;
  }
  // 110xxxxx, 1110xxxx and 11110xxx lead two, three and four bytes.
  size_t length = 0;
  if ((lead & 0xE0) == 0xC0) {
    length = 2;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3;
  } else if ((lead & 0xF8) == 0xF0) {
    length = 4;
  }
  if (length == 0 || text.size() - at < length) return std::nullopt;
  char32_t code_point = lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const unsigned char byte = byte_at(text, at + i);
    if ((byte & 0xC0) != 0x80) return std::nullopt;
    code_point = (code_point << 6) | (byte & 0x3Fu);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < kSmallestOfLength[length] || surrogate || code_point > 0x10FFFF) {
    return std::nullopt;
  }
  at += length;
  return code_point;
}

std::optional<size_t> first_invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (!next_code_point(text, at)) return at;
  }
  return std::nullopt;
}

void append_code_point(std::string& text, char32_t code_point) {
  const auto append = [&](char32_t byte) { text += static_cast<char>(byte); };
  const auto continuation = [&](int shift) { append(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xC0 | (code_point >> 6));
    continuation(0);
  } else if (code_point < 0x10000) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) throw std::logic_error("a surrogate");
    append(0xE0 | (code_point >> 12));
    continuation(6);
    continuation(0);
  } else {
    if (code_point > 0x10FFFF) throw std::logic_error("beyond the last code point");
    append(0xF0 | (code_point >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

}  // namespace qkvlab
