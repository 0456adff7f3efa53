#include "statistics/run_fields.hpp"

#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "base/json_text.hpp"

namespace qkvlab {

namespace {

/// The paths of a config's fields, but for sections that do not decide what comes out.
void add_paths(const JsonValue& json, const std::string& prefix, std::set<std::string>& paths) {
  static const std::set<std::string> others = {"ablation", "limits", "record", "run"};
  for (const auto& [key, value] : json.members()) {
    if (prefix.empty() && others.count(key) > 0) continue;
    if (value.kind() == JsonValue::Kind::kObject) {
      add_paths(value, prefix + key + ".", paths);
    } else {
      paths.insert(prefix + key);
    }
  }
}

}  // namespace

Parts parts_of(const Cell& cell) {
  Parts parts;
  for (const auto& [path, value] : cell) parts.emplace_back(path, cell_value_text(value));
  return parts;
}

std::string name_in_cell(const RecordedRun& run) {
  return name_in_cell(run.begin.variant, run.begin.cell);
}

bool is_named(const RecordedRun& run, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == run.begin.variant || name == name_in_cell(run);
  });
}

std::optional<std::string> field_of(const RecordedRun& run, const std::string& name) {
  if (name == "experiment") return run.begin.experiment;
  if (name == "variant") return run.begin.variant;
  if (name == "folder") return run.folder;
  const JsonValue config = parse_json(run.begin.config, run.file);
  const JsonValue* value = find_path(config, name);
  if (value == nullptr) return std::nullopt;
  return value->kind() == JsonValue::Kind::kString ? value->string() : json_text(*value);
}

std::vector<std::string> field_names(const RecordedRun& run) {
  std::set<std::string> names = {"experiment", "variant", "folder"};
  add_paths(parse_json(run.begin.config, run.file), "", names);
  return {names.begin(), names.end()};
}

}  // namespace qkvlab
