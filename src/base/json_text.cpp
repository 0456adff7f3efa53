#include "base/json_text.hpp"

#include "base/number_text.hpp"

namespace qkvlab {

namespace {

using Kind = JsonValue::Kind;

void append(std::string& text, const JsonValue& value) {
  const char* separator = "";
  switch (value.kind()) {
    case Kind::kNull:
      text += "null";
      break;
    case Kind::kBoolean:
      text += value.boolean() ? "true" : "false";
      break;
    case Kind::kInteger:
      append_number(text, value.integer());
      break;
    case Kind::kNumber: {
      const size_t begin = text.size();
      append_number(text, value.number());
      if (text.find_first_of(".e", begin) == std::string::npos) text += ".0";
      break;
    }
    case Kind::kString:
      append_json_string(text, value.string());
      break;
    case Kind::kArray:
      text += '[';
      for (const JsonValue& element : value.array()) {
        text += separator;
        append(text, element);
        separator = ",";
      }
      text += ']';
      break;
    case Kind::kObject:
      text += '{';
      for (const auto& [key, member] : value.members()) {
        text += separator;
        append_json_string(text, key);
        text += ':';
        append(text, member);
        separator = ",";
      }
      text += '}';
      break;
  }
}

}  // namespace

std::string json_text(const JsonValue& value) {
  std::string text;
  append(text, value);
  return text;
}

}  // namespace qkvlab
