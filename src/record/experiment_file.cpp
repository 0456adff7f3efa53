#include "record/experiment_file.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

constexpr int64_t kSchema = 1;

/// The text that an object was read from.
std::string text_of(const JsonValue& object, const std::string& whole) {
  object.members();  // throws where it is none
  const auto [begin, end] = object.span();
  return whole.substr(begin, end - begin);
}

bool is_letter_digit_or_dash(char letter) {
  return letter == '-' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

RunGroup group_of(const JsonValue& json) {
  RunGroup group;
  group.variant = json.at("variant").string();
  for (const JsonValue& run : json.at("runs").array()) {
    const std::string& id = run.at("run").string();
    // It names files.
    if (id.empty() || !std::all_of(id.begin(), id.end(), is_letter_digit_or_dash)) {
      run.at("run").fail("must be the id of a run");
    }
    group.runs.push_back({id, run.at("seed").integer(0)});
  }
  if (group.runs.empty()) json.at("runs").fail("must not be empty");
  return group;
}

void append_group(std::string& text, const RunGroup& group) {
  text += R"({"variant": )";
  append_json_string(text, group.variant);
  text += R"(, "runs": [)";
  for (size_t i = 0; i < group.runs.size(); ++i) {
    text += (i == 0 ? "" : ", ") + (R"({"run": ")" + group.runs[i].run) + R"(", "seed": )";
    append_number(text, group.runs[i].seed);
    text += "}";
  }
  text += "]}";
}

}  // namespace

ExperimentFile read_experiment_file(const std::string& path) {
  const std::string text = read_text_file(path);
  const JsonValue document = parse_json(text, path);
  if (document.at("schema").integer(1) > kSchema) {
    document.at("schema").fail("was written by a newer qkvlab; this one reads " +
                               std::to_string(kSchema));
  }
  ExperimentFile file;
  file.config = text_of(document.at("config"), text);
  file.identity = text_of(document.at("identity"), text);
  file.environment = text_of(document.at("environment"), text);
  for (const JsonValue& variant : document.at("variants").array()) {
    file.variants.emplace_back(variant.at("name").string(), text_of(variant.at("identity"), text));
  }
  std::set<std::string> names;
  for (const JsonValue& group : document.at("groups").array()) {
    RunGroup read = group_of(group);
    // One that stands twice is one: it has one file of records.
    if (names.insert(read.name()).second) file.groups.push_back(std::move(read));
  }
  return file;
}

void write_experiment_file(const std::string& path, const ExperimentFile& file) {
  std::string text = "{\"schema\": " + std::to_string(kSchema) + ",\n \"config\": " + file.config +
                     ",\n \"identity\": " + file.identity +
                     ",\n \"environment\": " + file.environment + ",\n \"variants\": [";
  const char* separator = "\n  ";
  for (const auto& [name, identity] : file.variants) {
    text += separator + std::string(R"({"name": )");
    append_json_string(text, name);
    text += R"(, "identity": )" + identity + "}";
    separator = ",\n  ";
  }
  text += "\n ],\n \"groups\": [";
  separator = "\n  ";
  for (const RunGroup& group : file.groups) {
    text += separator;
    append_group(text, group);
    separator = ",\n  ";
  }
  AtomicFile output(path);
  output.write(text + "\n ]}\n");
  output.commit();
}

}  // namespace qkvlab
