#include "config/overrides.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/utf8.hpp"
#include "config/ablation_reader.hpp"
#include "config/projection_plan.hpp"

namespace qkvlab {

namespace {

using Steps = std::vector<std::string>;

constexpr std::array<std::pair<const char*, const char*>, 4> kAlternatives = {{
    {"steps", "epochs"},
    {"mode", "plan"},
    {"ratio", "hidden"},
    {"warmup_steps", "warmup_fraction"},
}};

const JsonValue* member_of(const JsonValue* object, const std::string& key) {
  const bool is_object = object != nullptr && object->kind() == JsonValue::Kind::kObject;
  return is_object ? object->find(key) : nullptr;
}

/// Makes of a list of modes the object that says the same.
void make_object_of_modes(JsonValue& list) {
  const JsonValue::Array modes = list.array();
  list.become_empty_object();
  for (const JsonValue& mode : modes) {
    const std::string& name = mode.one_of("mode", attention_mode_names());
    if (list.edit(name) != nullptr) mode.fail("'" + name + "' is listed twice");
    JsonValue nothing = mode;
    nothing.become_empty_object();
    list.set_member(name, std::move(nothing));
  }
}

/// Applies overrides one after another.
class Applier {
 public:
  Applier(JsonValue& document, const JsonValue& defaults)
      : document_(document), defaults_(defaults) {}

  void apply(Override change) {
    JsonValue* object = &document_;
    JsonValue* replacement = &change.document;
    const JsonValue* defaults = &defaults_;
    Steps path;
    for (const std::string& key : change.path) {
      replacement = replacement->edit(key);
      const bool is_last = path.size() + 1 == change.path.size();
      if (is_last && key == "kind") change_kind(*object, path, *replacement, defaults);
      if (is_last && !replacement->is_null()) drop_alternatives(*object, key);
      if (Said& said = said_[path]; !said.kind) said.members.insert(key);
      JsonValue* present = object->edit(key);
      const bool is_list = present != nullptr && present->kind() == JsonValue::Kind::kArray;
      if (is_list && !is_last && path == Steps{"ablation"} && key == "variants") {
        make_object_of_modes(*present);
      }
      path.push_back(key);
      if (is_last || present == nullptr || present->kind() != JsonValue::Kind::kObject) {
        forget_from(path);
        note(path, *replacement);
        object->set_member(key, std::move(*replacement));
        return;
      }
      object = present;
      defaults = member_of(defaults, key);
    }
  }

 private:
  /// What overrides have said of an object so far.
  struct Said {
    bool kind = false;              // of which kind it is
    std::set<std::string> members;  // that were given before its kind was
  };

  /// Of another kind only those members are of use that overrides gave without saying a kind.
  void change_kind(JsonValue& object, const Steps& path, const JsonValue& kind,
                   const JsonValue* defaults) {
    const JsonValue* old = object.edit("kind");
    if (old == nullptr) old = member_of(defaults, "kind");
    const auto is_text = [](const JsonValue& value) {
      return value.kind() == JsonValue::Kind::kString;
    };
    const bool same =
        old != nullptr && is_text(*old) && is_text(kind) && old->string() == kind.string();
    Said& said = said_[path];
    for (const std::string& key : object.keys()) {
      if (!same && said.members.count(key) == 0) object.remove_member(key);
    }
    said.kind = true;
  }

  static void drop_alternatives(JsonValue& object, const std::string& key) {
    for (const auto& [one, other] : kAlternatives) {
      if (key == one) object.remove_member(other);
      if (key == other) object.remove_member(one);
    }
  }

  /// What stood at `path` and below is gone.
  void forget_from(const Steps& path) {
    const auto is_within = [&](const Steps& other) {
      return other.size() >= path.size() && std::equal(path.begin(), path.end(), other.begin());
    };
    auto entry = said_.lower_bound(path);
    while (entry != said_.end() && is_within(entry->first)) entry = said_.erase(entry);
  }

  /// What the value of an override says that stands at `path`.
  void note(const Steps& path, JsonValue& value) {
    if (value.kind() != JsonValue::Kind::kObject) return;
    Said& said = said_[path];
    said.kind = value.edit("kind") != nullptr;
    for (const std::string& key : value.keys()) {
      if (!said.kind) said.members.insert(key);
      Steps below = path;
      below.push_back(key);
      note(below, *value.edit(key));
    }
  }

  JsonValue& document_;
  const JsonValue& defaults_;
  std::map<Steps, Said> said_;  // by the path of an object
};

/// The names of the variants that a config's document gives.
std::vector<std::string> variants_of(JsonValue& document) {
  JsonValue* ablation = document.edit("ablation");
  JsonValue* variants = ablation == nullptr ? nullptr : ablation->edit("variants");
  return variants == nullptr ? std::vector<std::string>() : variants->keys();
}

/// How long the name of a variant is with which `rest` begins.
size_t length_of_name(const std::string& rest, const std::vector<std::string>& variants) {
  size_t longest = 0;
  for (const std::string& name : variants) {
    const bool begins = rest.compare(0, name.size(), name) == 0 &&
                        (rest.size() == name.size() || rest[name.size()] == '.');
    if (begins) longest = std::max(longest, name.size());
  }
  if (longest > 0) return longest;
  for (size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.', dot + 1)) {
    if (is_ablated_section(split_path(rest.substr(dot + 1)).front())) return dot;
  }
  return rest.size();
}

/// The steps of an override's path.
Steps steps_of(const std::string& path, const std::vector<std::string>& variants) {
  const std::string grid = "ablation.grid.", variant = "ablation.variants.";
  if (path.rfind(grid, 0) == 0) return {"ablation", "grid", path.substr(grid.size())};
  if (path.rfind(variant, 0) != 0) return split_path(path);
  const std::string rest = path.substr(variant.size());
  const size_t length = length_of_name(rest, variants);
  Steps steps = {"ablation", "variants", rest.substr(0, length)};
  if (length < rest.size()) steps.push_back(rest.substr(length + 1));
  return steps;
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

Override parse_override(const std::string& text, const std::string& who,
                        const std::vector<std::string>& variants) {
  const size_t equals = text.find('=');
  const Steps path = steps_of(text.substr(0, equals), variants);
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
  Override change{path, parse_json(json, who + text, kNoLines)};
  JsonValue* typed = &change.document;
  for (const std::string& step : path) typed = typed->edit(step);
  using Kind = JsonValue::Kind;
  const Kind kind = typed->kind();
  if (kind == Kind::kBoolean || kind == Kind::kInteger || kind == Kind::kNumber) {
    typed->set_typed(value);
  }
  return change;
}

Override override_of(const std::string& path, const JsonValue& value) {
  const Steps steps = split_path(path);
  JsonValue document = value;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) document = document.within(*step);
  return {steps, std::move(document)};
}

bool are_alternatives(const std::string& path, const std::string& other) {
  Steps steps = split_path(path), others = split_path(other);
  const std::string key = steps.back(), other_key = others.back();
  steps.pop_back();
  others.pop_back();
  return steps == others &&
         std::any_of(kAlternatives.begin(), kAlternatives.end(), [&](const auto& pair) {
           return (key == pair.first && other_key == pair.second) ||
                  (key == pair.second && other_key == pair.first);
         });
}

void apply_overrides(JsonValue& document, std::vector<Override> changes,
                     const JsonValue& defaults) {
  // Throws; of an object it would count as having read all.
  if (document.kind() != JsonValue::Kind::kObject) document.members();
  Applier applier(document, defaults);
  for (Override& change : changes) applier.apply(std::move(change));
}

void apply_overrides(JsonValue& document, const std::vector<std::string>& overrides,
                     const JsonValue& defaults) {
  if (document.kind() != JsonValue::Kind::kObject) document.members();
  Applier applier(document, defaults);
  for (const std::string& text : overrides) {
    applier.apply(parse_override(text, "", variants_of(document)));
  }
}

}  // namespace qkvlab
