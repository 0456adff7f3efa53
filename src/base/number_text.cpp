#include "base/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/utf8.hpp"

namespace qkvlab {

namespace {

constexpr size_t kLongestInteger = 310;  // digits of the largest double, and its sign
constexpr std::string_view kHexDigits = "0123456789abcdef";

const char* non_finite_name(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

template <typename T>
void append_shortest(std::string& out, T value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end.ptr);
}

template <typename T>
void append_floating(std::string& out, T value) {
  if (!std::isfinite(value)) {
    out += '"';
    out += non_finite_name(static_cast<double>(value));
    out += '"';
  } else if (value == 0 && std::signbit(value)) {
    out += "-0.0";
  } else {
    append_shortest(out, value);
  }
}

/// `value` as printf would with the C locale's point, whatever the process's locale is.
std::string formatted(double value, std::chars_format format, int precision) {
  if (!std::isfinite(value)) return non_finite_name(value);
  std::string text(kLongestInteger + 1 + static_cast<size_t>(precision), '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  if (end.ec != std::errc{}) throw std::logic_error("a number's text exceeds its buffer");
  text.resize(static_cast<size_t>(end.ptr - text.data()));
  return text;
}

}  // namespace

void append_number(std::string& out, float value) { append_floating(out, value); }
void append_number(std::string& out, double value) { append_floating(out, value); }
void append_number(std::string& out, int64_t value) { append_shortest(out, value); }

void append_json_string(std::string& out, std::string_view text) {
  // Most texts by far are names of plain letters, half a million of them in a sweep's records.
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return c >= 0x20 && c != '"' && c != '\\'; });
  if (plain) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  if (first_invalid_utf8(text)) throw std::logic_error("a JSON string must be UTF-8");
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) {
          out += c;
        } else {
          out += "\\u00";
          out += kHexDigits[static_cast<size_t>(c) >> 4];
          out += kHexDigits[static_cast<size_t>(c) & 15];
        }
    }
  }
  out += '"';
}

std::optional<int64_t> parse_integer(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

std::string integer_wanted(int64_t low, int64_t high) {
  const bool has_low = low != INT64_MIN;
  const bool has_high = high != INT64_MAX;
  if (has_low && has_high) {
    return "an integer from " + std::to_string(low) + " to " + std::to_string(high);
  }
  if (has_low) return "an integer of at least " + std::to_string(low);
  if (has_high) return "an integer of at most " + std::to_string(high);
  return "an integer";
}

std::string counted(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string fixed(double value, int decimals) {
  std::string text = formatted(value, std::chars_format::fixed, decimals);
  const bool only_zeros = text.find_first_not_of("-0.") == std::string::npos;
  if (only_zeros && text.front() == '-') text.erase(0, 1);
  return text;
}

std::string significant(double value, int digits) {
  return formatted(value, std::chars_format::general, digits);
}

}  // namespace qkvlab
