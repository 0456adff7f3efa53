#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qkvlab {

/// A JSON object for standard output, member by member; numbers as append_number writes them.
class JsonObject {
 public:
  /// Text that is not UTF-8 (a path) is written as printable() shows it.
  JsonObject& text(const char* name, std::string_view value);
  JsonObject& number(const char* name, double value);
  JsonObject& integer(const char* name, int64_t value);
  JsonObject& flag(const char* name, bool value);
  /// A member that is JSON already.
  JsonObject& json(const char* name, std::string_view value);

  std::string str() const { return json_.empty() ? "{}" : json_ + "}"; }

 private:
  void begin(const char* name);

  std::string json_;
};

/// An array of what is JSON already, an element a line.
std::string json_array(const std::vector<std::string>& elements);

}  // namespace qkvlab
