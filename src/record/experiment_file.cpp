#include "record/experiment_file.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

constexpr int64_t kSchema = 2;
constexpr int64_t kSchemaWithCells = 2;

/// The text that an object was read from.
std::string text_of(const JsonValue& object, const std::string& whole) {
  object.members();  // throws where it is none
  const auto [begin, end] = object.span();
  return whole.substr(begin, end - begin);
}

bool is_letter_digit_or_dash(char letter) {
  return letter == '-' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

/// Nothing where the version knew none.
Cell read_cell(const JsonValue& json) {
  Cell cell;
  if (const JsonValue* object = json.find("cell")) {
    for (const auto& [path, value] : object->members()) cell.emplace_back(path, json_text(value));
  }
  return cell;
}

void append_cell(std::string& text, const Cell& cell) {
  text += R"("cell": {)";
  for (size_t i = 0; i < cell.size(); ++i) {
    text += i == 0 ? "" : ", ";
    append_json_string(text, cell[i].first);
    text += ": " + cell[i].second;
  }
  text += "}";
}

RunGroup group_of(const JsonValue& json) {
  RunGroup group;
  group.variant = json.at("variant").string();
  group.cell = read_cell(json);
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
  text += ", ";
  append_cell(text, group.cell);
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
  const int64_t schema = document.at("schema").integer(1);
  if (schema > kSchema) {
    document.at("schema").fail("was written by a newer qkvlab; this one reads " +
                               std::to_string(kSchema));
  }
  ExperimentFile file;
  file.knows_cells = schema >= kSchemaWithCells;
  file.config = text_of(document.at("config"), text);
  file.identity = text_of(document.at("identity"), text);
  file.environment = text_of(document.at("environment"), text);
  for (const JsonValue& variant : document.at("variants").array()) {
    file.variants.push_back(
        {variant.at("name").string(), read_cell(variant), text_of(variant.at("identity"), text)});
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
  // Names with cells in them stay as they are, and so does what says that they are such.
  const int64_t schema = file.knows_cells ? kSchema : kSchemaWithCells - 1;
  std::string text = "{\"schema\": " + std::to_string(schema) + ",\n \"config\": " + file.config +
                     ",\n \"identity\": " + file.identity +
                     ",\n \"environment\": " + file.environment + ",\n \"variants\": [";
  const char* separator = "\n  ";
  for (const ExperimentVariant& variant : file.variants) {
    text += separator + std::string(R"({"name": )");
    append_json_string(text, variant.name);
    text += ", ";
    append_cell(text, variant.cell);
    text += R"(, "identity": )" + variant.identity + "}";
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
