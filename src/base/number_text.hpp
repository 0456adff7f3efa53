#pragma once

#include <cstdint>
#include <optional>
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

/// The integer that all of `text` writes in decimal digits, with a minus where it is negative;
/// nothing where it is anything else (a blank, a plus, 1.0, 1e3, 0x10) or beyond int64.
std::optional<int64_t> parse_integer(std::string_view text);

/// What must be written where an integer within [low, high] is wanted, for complaints: "an integer
/// from 1 to 64", "an integer of at least 1" where `high` is INT64_MAX, "an integer of at most 9"
/// where `low` is INT64_MIN, "an integer" where both are.
std::string integer_wanted(int64_t low, int64_t high);

/// "1 seed", "2 seeds": a count for people.
std::string counted(int64_t count, const std::string& noun);

/// `value` with a fixed number of decimals for people. "-0.0000" becomes "0.0000"; what is not
/// finite is "NaN", "Infinity" or "-Infinity".
std::string fixed(double value, int decimals);

/// `value` with `digits` significant digits for people, as printf's %g.
std::string significant(double value, int digits);

}  // namespace qkvlab
