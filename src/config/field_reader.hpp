#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "config/ablation_reader.hpp"
#include "config/attention_plan.hpp"
#include "config/enum_names.hpp"
#include "config/field_rules.hpp"
#include "config/field_types.hpp"
#include "config/model_fields.hpp"

namespace qkvlab {

/// Reads the fields of one object (see ConfigFields); a field that is not there keeps its default.
class FieldReader {
 public:
  explicit FieldReader(const JsonValue& object) : object_(object) {}

  template <typename T, typename Rule = Any>
  void field(const char* key, T& member, const char* /*doc*/, const Rule& rule = {},
             Effect /*effect*/ = Effect::kResults) {
    const JsonValue* json = object_.find(key);
    if (json != nullptr) {
      read(*json, member, rule);
    } else if constexpr (std::is_same_v<Rule, InputFile>) {
      if (rule.required) missing_.emplace_back(key);
    }
  }

  void plan(ProjectionPlan& plan);

  /// Every field was visited. Throws where the object has another key or lacks one that is needed:
  /// in this order, since what is missing may be there under a misspelt name.
  void finish() const;

 private:
  static void read(const JsonValue& json, bool& value, const Any&) { value = json.boolean(); }
  static void read(const JsonValue& json, std::string& value, const Any&) { value = json.text(); }
  static void read(const JsonValue& json, std::string& value, const InputFile&) {
    value = json.text();
    if (value.empty()) json.fail("a file's name must not be empty");
  }
  static void read(const JsonValue& json, int64_t& value, const IntegerRange& range) {
    value = json.integer(range.low, range.high);
  }
  /// -0 is 0: no result tells them apart, and so no identity may.
  static void read(const JsonValue& json, double& value, const Any&) {
    value = json.number() + 0.0;
  }
  static void read(const JsonValue& json, double& value, const NumberRange& range);

  static void read(const JsonValue& json, std::vector<int64_t>& values, const IntegerRange& range) {
    values.clear();
    for (const JsonValue& element : json.array()) {
      values.push_back(element.integer(range.low, range.high));
    }
  }

  static void read(const JsonValue& json, std::vector<int64_t>& seeds, const Seeds&) {
    seeds = read_seeds(json);
  }
  static void read(const JsonValue& json, std::vector<VariantConfig>& variants, const Any&) {
    variants = read_variants(json);
  }
  static void read(const JsonValue& json, std::vector<GridAxis>& grid, const Any&) {
    grid = read_grid(json);
  }

  template <typename T, typename Rule>
  static void read(const JsonValue& json, T& value, const Rule&) {
    if constexpr (std::is_enum_v<T>) {
      value = enum_value<T>(json.one_of("value", enum_names<T>()));
    } else {
      FieldReader reader(json);
      ConfigFields<T>::visit(value, reader);
      reader.finish();
    }
  }

  template <typename T, typename Rule>
  static void read(const JsonValue& json, std::optional<T>& value, const Rule& rule) {
    value.reset();
    if (!json.is_null()) read(json, value.emplace(), rule);
  }

  /// The object's `kind` chooses the alternative; without one it is the default's.
  template <typename... Ts, typename Rule>
  static void read(const JsonValue& json, std::variant<Ts...>& value, const Rule& rule) {
    if (const JsonValue* kind = json.find("kind")) {
      const std::string& name = kind->one_of("kind", {Ts::kKind...});
      if (name != kind_of(value)) (choose<Ts>(name, value), ...);
    }
    std::visit([&](auto& alternative) { read(json, alternative, rule); }, value);
  }

  template <typename T, typename Variant>
  static void choose(const std::string& kind, Variant& value) {
    if (kind == T::kKind) value = T{};
  }

  const JsonValue& object_;
  std::vector<std::string> missing_;
};

}  // namespace qkvlab
