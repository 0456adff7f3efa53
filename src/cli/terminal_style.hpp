#pragma once

#include <cstddef>
#include <string>

#include "report/text_style.hpp"

namespace qkvlab {

/// What the environment and the terminal behind a standard stream say of how text may look.

/// Whether the stream is a terminal that obeys escape sequences, such as those that draw a line
/// anew: not where TERM is dumb or not set.
bool takes_escapes(int stream);

/// The same of colours, unless NO_COLOR asks for none.
bool takes_colours(int stream);

/// Columns of the terminal; where the stream is none those that COLUMNS says, else 80.
size_t terminal_columns(int stream);

/// Whether the locale that LC_ALL, LC_CTYPE or LANG names, in this order, is one of UTF-8. Where
/// none is named it is taken for one: containers name none, and terminals show UTF-8.
bool locale_is_utf8();

/// How text is to look that goes to the file `out`, or to standard output where that is empty: as
/// wide as the terminal, 80 columns in a file; without colours.
TextStyle text_style(const std::string& out);

}  // namespace qkvlab
