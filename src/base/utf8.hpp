#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace qkvlab {

/// Reads the code point that starts at byte `at` and moves `at` past it. Strict UTF-8 (RFC 3629):
/// no overlong forms, no surrogates, nothing above U+10FFFF. Returns nothing, and leaves `at` where
/// it is, where the bytes are not UTF-8. `at` must lie within the text.
std::optional<char32_t> next_code_point(std::string_view text, size_t& at);

/// The byte offset of the first byte that is not UTF-8, or nothing where all of it is.
std::optional<size_t> first_invalid_utf8(std::string_view text);

/// Appends one code point as UTF-8.
void append_code_point(std::string& text, char32_t code_point);

}  // namespace qkvlab
