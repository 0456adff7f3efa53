#pragma once

#include <string>
#include <string_view>

namespace qkvlab {

/// The one place where what records say becomes part of a page.

/// Text for an HTML or SVG text node, or for an attribute between double quotes. Control characters
/// and bidirectional overrides become U+FFFD, as on a terminal; `text` may hold any bytes.
std::string html_text(std::string_view text);

/// The same of several lines, whose ends stay.
std::string html_lines(std::string_view text);

/// The beginning of a <div> that scrolls by itself, by keyboard too, where a table in it is wider
/// than the page. `wide`: it may be wider than the text.
std::string scroll_begin(std::string_view label, bool wide = false);

/// JSON as the content of a <script type="application/json">: the same JSON, in which `<`, `>`,
/// `&`, U+2028 and U+2029 are escapes, so that nothing in it ends the element. They occur in
/// strings only.
std::string script_json(std::string_view json);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

/// The bytes of two hexadecimal digits each.
std::string bytes_of_hex(std::string_view digits);

/// `text` as one word of a POSIX shell: unchanged where it needs no quotes.
std::string shell_word(std::string_view text);

/// A number for people, with a true minus: "−0.0413". What is not finite is "∞", "−∞" or "not a
/// number".
std::string number_for_people(double value, int digits = 4);

/// A number's text with true minus signs.
std::string with_true_minus(std::string_view number);

/// What people read of a number, in an element that carries the shortest text that reads back to
/// it: <data value="0.25">0.250</data>. `shown` as it is, or as number_for_people writes it.
std::string html_number(double value, std::string_view shown);
std::string html_number(double value, int digits = 4);

}  // namespace qkvlab
