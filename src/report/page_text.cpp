#include "report/page_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/terminal.hpp"

namespace qkvlab {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string html;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string html_lines(std::string_view text) {
  std::string html;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    html += html_text(text.substr(begin, end - begin));
    if (end < text.size()) html += '\n';
    begin = end + 1;
  }
  return html;
}

std::string scroll_begin(std::string_view label, bool wide) {
  return std::string("<div class=\"scroll") + (wide ? " wide" : "") +
         "\" tabindex=\"0\" role=\"region\" aria-label=\"" + html_text(label) + "\">";
}

std::string script_json(std::string_view json) {
  std::string script(json);
  replace_all(script, "<", "\\u003c");
  replace_all(script, ">", "\\u003e");
  replace_all(script, "&", "\\u0026");
  replace_all(script, "\u2028", "\\u2028");
  replace_all(script, "\u2029", "\\u2029");
  return script;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = i; j < i + 3; ++j) {
      group = group << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    }
    const size_t digits = std::min<size_t>(bytes.size() - i, 3) + 1;
    for (size_t digit = 0; digit < 4; ++digit) {
      text += digit < digits ? kDigits[group >> (18 - 6 * digit) & 63U] : '=';
    }
  }
  return text;
}

std::string bytes_of_hex(std::string_view digits) {
  require(digits.size() % 2 == 0, "hexadecimal digits must come in pairs");
  const auto value = [](char digit) {
    require(std::isxdigit(static_cast<unsigned char>(digit)) != 0, "not a hexadecimal digit");
    return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
  };
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(value(digits[i]) << 4 | value(digits[i + 1]));
  }
  return bytes;
}

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./,=:+@%").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string word(text);
  replace_all(word, "'", "'\\''");
  return "'" + word + "'";
}

std::string number_for_people(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  return with_true_minus(significant(value, digits));
}

std::string with_true_minus(std::string_view number) {
  std::string text(number);
  replace_all(text, "-", "−");
  return text;
}

std::string html_number(double value, std::string_view shown) {
  std::string exact;
  append_number(exact, value);
  exact.erase(std::remove(exact.begin(), exact.end(), '"'), exact.end());
  return "<data value=\"" + exact + "\">" + with_true_minus(shown) + "</data>";
}

std::string html_number(double value, int digits) {
  return html_number(value, number_for_people(value, digits));
}

}  // namespace qkvlab
