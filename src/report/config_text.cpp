#include "report/config_text.hpp"

#include <algorithm>

#include "base/json_text.hpp"
#include "base/number_text.hpp"

namespace qkvlab {

namespace {

constexpr size_t kLine = 76;

void append_indented(std::string& out, const JsonValue& value, size_t indent) {
  const bool is_object = value.kind() == JsonValue::Kind::kObject;
  const bool is_array = value.kind() == JsonValue::Kind::kArray;
  const std::string line = json_text(value);
  if ((!is_object && !is_array) || (indent > 0 && indent + line.size() <= kLine)) {
    out += line;
    return;
  }
  const std::string margin(indent + 2, ' ');
  const char* separator = "";
  out += is_object ? "{" : "[";
  if (is_object) {
    for (const auto& [key, member] : value.members()) {
      out += separator + ("\n" + margin);
      append_json_string(out, key);
      out += ": ";
      append_indented(out, member, indent + 2);
      separator = ",";
    }
  } else {
    for (const JsonValue& element : value.array()) {
      out += separator + ("\n" + margin);
      append_indented(out, element, indent + 2);
      separator = ",";
    }
  }
  out += "\n" + std::string(indent, ' ') + (is_object ? "}" : "]");
}

void flatten(const JsonValue& value, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& fields) {
  if (value.kind() != JsonValue::Kind::kObject) {
    fields.emplace_back(path, json_text(value));
    return;
  }
  for (const auto& [key, member] : value.members()) {
    flatten(member, path.empty() ? key : path + "." + key, fields);
  }
}

}  // namespace

std::string indented_json(const JsonValue& value) {
  std::string out;
  append_indented(out, value, 0);
  return out;
}

std::vector<ConfigDifference> config_differences(const std::vector<std::string>& configs) {
  std::vector<ConfigDifference> fields;  // all of them, in the order in which they are found
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < configs.size(); ++i) {
    std::vector<std::pair<std::string, std::string>> found;
    flatten(parse_json(configs[i], "config", kNoLines), "", found);
    for (const auto& [path, value] : found) {
      const auto [place, is_new] = places.emplace(path, fields.size());
      if (is_new) fields.push_back({path, std::vector<std::string>(configs.size())});
      fields[place->second].values[i] = value;
    }
  }
  fields.erase(std::remove_if(fields.begin(), fields.end(),
                              [](const ConfigDifference& field) {
                                return std::all_of(field.values.begin(), field.values.end(),
                                                   [&](const std::string& value) {
                                                     return value == field.values.front();
                                                   });
                              }),
               fields.end());
  return fields;
}

std::string ranges_of(std::vector<int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += (last == i + 1 ? "," : "..") + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace qkvlab
