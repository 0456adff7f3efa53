#pragma once

#include <cstddef>

namespace qkvlab {

/// What the environment and the terminal behind a standard stream say of how text may look.

/// Whether the stream is a terminal that obeys escape sequences, and nobody minds (NO_COLOR,
/// TERM=dumb).
bool takes_escapes(int stream);

/// Columns of the terminal; 80 where the stream is none.
size_t terminal_columns(int stream);

/// Whether the locale that LC_ALL, LC_CTYPE or LANG names, in this order, is one of UTF-8. Where
/// none is named it is taken for one: containers name none, and terminals show UTF-8.
bool locale_is_utf8();

}  // namespace qkvlab
