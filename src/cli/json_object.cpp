#include "cli/json_object.hpp"

#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "base/utf8.hpp"

namespace qkvlab {

JsonObject& JsonObject::text(const char* name, std::string_view value) {
  begin(name);
  append_json_string(json_, first_invalid_utf8(value) ? printable(value) : std::string(value));
  return *this;
}

JsonObject& JsonObject::number(const char* name, double value) {
  begin(name);
  append_number(json_, value);
  return *this;
}

JsonObject& JsonObject::integer(const char* name, int64_t value) {
  begin(name);
  append_number(json_, value);
  return *this;
}

JsonObject& JsonObject::flag(const char* name, bool value) {
  return json(name, value ? "true" : "false");
}

JsonObject& JsonObject::json(const char* name, std::string_view value) {
  begin(name);
  json_ += value;
  return *this;
}

void JsonObject::begin(const char* name) {
  json_ += json_.empty() ? "{" : ", ";
  append_json_string(json_, name);
  json_ += ": ";
}

std::string json_array(const std::vector<std::string>& elements) {
  std::string json = "[";
  for (const std::string& element : elements) {
    json += (json.size() > 1 ? ",\n  " : "\n  ") + element;
  }
  return json + "]";
}

}  // namespace qkvlab
