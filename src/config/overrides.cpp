#include "config/overrides.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/utf8.hpp"

namespace qkvlab {

namespace {

using Steps = std::vector<std::string>;

constexpr std::array<std::pair<const char*, const char*>, 4> kAlternatives = {{
    {"steps", "epochs"},
    {"mode", "plan"},
    {"ratio", "hidden"},
    {"warmup_steps", "warmup_fraction"},
}};

/// Another kind: nothing that the object says of the old one is of use.
void drop_old_kind(JsonValue& object, const JsonValue& kind, const JsonValue* defaults) {
  const JsonValue* old = object.edit("kind");
  if (old == nullptr && defaults != nullptr) old = defaults->find("kind");
  const auto is_text = [](const JsonValue& value) {
    return value.kind() == JsonValue::Kind::kString;
  };
  const bool same =
      old != nullptr && is_text(*old) && is_text(kind) && old->string() == kind.string();
  if (!same) object.clear_members();
}

/// Removes from the document what cannot stand beside the change.
void drop_alternative(JsonValue& document, Override& change) {
  JsonValue* object = &document;
  JsonValue* value = &change.document;
  for (const std::string& step : change.path) {
    value = value->edit(step);
    if (&step != &change.path.back()) object = object == nullptr ? nullptr : object->edit(step);
  }
  if (object == nullptr || value->is_null()) return;
  const std::string& key = change.path.back();
  for (const auto& [one, other] : kAlternatives) {
    if (key == one) object->remove_member(other);
    if (key == other) object->remove_member(one);
  }
}

const JsonValue* member_of(const JsonValue* object, const std::string& key) {
  const bool is_object = object != nullptr && object->kind() == JsonValue::Kind::kObject;
  return is_object ? object->find(key) : nullptr;
}

void apply(JsonValue& document, Override& change, const JsonValue& all_defaults) {
  JsonValue* object = &document;
  JsonValue* replacement = &change.document;
  const JsonValue* defaults = &all_defaults;
  for (size_t depth = 0;; ++depth) {
    const std::string& key = change.path[depth];
    replacement = replacement->edit(key);
    JsonValue* present = object->edit(key);
    const bool is_last = depth + 1 == change.path.size();
    if (is_last || present == nullptr || present->kind() != JsonValue::Kind::kObject) {
      if (is_last && key == "kind") drop_old_kind(*object, *replacement, defaults);
      object->set_member(key, std::move(*replacement));
      return;
    }
    object = present;
    defaults = member_of(defaults, key);
  }
}

}  // namespace

std::vector<std::string> split_path(const std::string& path) {
  Steps steps;
  size_t begin = 0;
  for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
    steps.push_back(path.substr(begin, dot - begin));
    begin = dot + 1;
  }
  steps.push_back(path.substr(begin));
  return steps;
}

Override parse_override(const std::string& text, const std::string& who) {
  const size_t equals = text.find('=');
  const Steps path = split_path(text.substr(0, equals));
  const bool has_empty_step = std::find(path.begin(), path.end(), "") != path.end();
  if (equals == std::string::npos || has_empty_step || first_invalid_utf8(text)) {
    throw UserError("'" + text + "': must be an override, such as model.attention.mode=uniform");
  }
  const std::string value = text.substr(equals + 1);
  std::string json;
  for (const std::string& step : path) {
    json += '{';
    append_json_string(json, step);
    json += ':';
  }
  if (nlohmann::json::accept(value)) {
    json += value;
  } else {
    append_json_string(json, value);
  }
  json.append(path.size(), '}');
  return {path, parse_json(json, who + text, kNoLines)};
}

Override override_of(const std::string& path, const JsonValue& value) {
  const Steps steps = split_path(path);
  JsonValue document = value;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) document = document.within(*step);
  return {steps, std::move(document)};
}

void apply_overrides(JsonValue& document, std::vector<Override> changes,
                     const JsonValue& defaults) {
  // Throws; of an object it would count as having read all.
  if (document.kind() != JsonValue::Kind::kObject) document.members();
  std::stable_partition(changes.begin(), changes.end(),
                        [](const Override& change) { return change.path.back() == "kind"; });
  // First of all changes: what one of them gives stays, to be refused beside another.
  for (Override& change : changes) drop_alternative(document, change);
  for (Override& change : changes) apply(document, change, defaults);
}

void apply_overrides(JsonValue& document, const std::vector<std::string>& overrides,
                     const JsonValue& defaults) {
  std::vector<Override> changes;
  for (const std::string& text : overrides) changes.push_back(parse_override(text));
  apply_overrides(document, std::move(changes), defaults);
}

}  // namespace qkvlab
