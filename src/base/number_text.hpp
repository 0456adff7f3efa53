#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qkvlab {

/// Appends a number as JSON in the shortest form that reads back to the same value of its own type
/// (std::to_chars), so 0.1f is 0.1 and not 0.10000000149011612. Non-finite values are the strings
/// "NaN", "Infinity" and "-Infinity", with their quotes; minus zero is -0.0 (a bare -0 reads back
/// as the integer 0 in many readers).
void append_number(std::string& out, float value);
void append_number(std::string& out, double value);
void append_number(std::string& out, int64_t value);

/// Appends a JSON string with its quotes; escapes what JSON demands. `text` must be UTF-8
/// (checked).
void append_json_string(std::string& out, std::string_view text);

/// `value` with a fixed number of decimals for people ("-0.0000" becomes "0.0000"; "NaN",
/// "Infinity",
/// "-Infinity" where it is not finite).
std::string fixed(double value, int decimals);

/// `value` with `digits` significant digits for people, as printf's %g.
std::string significant(double value, int digits);

}  // namespace qkvlab
