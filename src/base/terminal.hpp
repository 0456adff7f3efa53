#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace qkvlab {

/// Terminal columns that `text` takes, from the C library's wcwidth for UTF-8: 2 for Chinese
/// characters, 0 for combining marks. Independent of the process's locale. `text` is what
/// `printable` returned, or holds no control characters.
size_t display_width(std::string_view text);

/// `text` with everything that a terminal would act on instead of showing (control characters,
/// bidirectional overrides, bytes that are not UTF-8) replaced by U+FFFD. All text from a user's
/// file goes through it on its way to a terminal, so that a token cannot move the cursor.
std::string printable(std::string_view text);

/// `text` in ASCII alone: "~" for "…", "_" for "␣", mathematical signs in ASCII's spelling ("+-"
/// for "±", "delta" for "Δ"), and for other characters as many "?" as they take columns.
std::string ascii_of(std::string_view text);

/// `text` cut to `width` columns, its last one "…"; unchanged where it is not wider, empty where
/// there is no column.
std::string shorten(std::string_view text, size_t width);

/// `text` filled with blanks to `width` columns; unchanged where it is wider.
std::string pad_right(std::string_view text, size_t width);
std::string pad_left(std::string_view text, size_t width);

}  // namespace qkvlab
