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

std::pair<std::string, Parts> split_variant(const std::string& name) {
  size_t begin = std::string::npos;
  for (const char* section : {" task.", " model.", " training."}) {
    begin = std::min(begin, name.find(section));
  }
  if (begin == std::string::npos) return {name, {}};
  Parts parts;
  for (size_t at = begin + 1; at < name.size();) {
    const size_t comma = std::min(name.find(',', at), name.size());
    const size_t equals = std::min(name.find('=', at), comma);
    parts.emplace_back(name.substr(at, equals - at),
                       equals < comma ? name.substr(equals + 1, comma - equals - 1) : "");
    at = comma + 1;
  }
  return {name.substr(0, begin), parts};
}

std::optional<std::string> field_of(const RecordedRun& run, const std::string& name) {
  if (name == "experiment") return run.begin.experiment;
  if (name == "variant") return split_variant(run.begin.variant).first;
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
