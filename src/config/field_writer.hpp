#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/number_text.hpp"
#include "config/ablation_reader.hpp"
#include "config/enum_names.hpp"
#include "config/field_rules.hpp"
#include "config/field_types.hpp"
#include "config/model_fields.hpp"

namespace qkvlab {

/// How a config is written.
struct FieldStyle {
  bool one_line = true;
  bool only_results = false;               // the fields that affect results alone, keys sorted
  std::optional<std::string> file_digest;  // stands in place of the path of every input file
};

/// Writes the fields of one object as JSON (see ConfigFields).
class FieldWriter {
 public:
  explicit FieldWriter(const FieldStyle& style, size_t depth = 0) : style_(style), depth_(depth) {}

  template <typename T, typename Rule = Any>
  void field(const char* key, const T& member, const char* /*doc*/, const Rule& /*rule*/ = {},
             Effect effect = Effect::kResults) {
    if (style_.only_results && effect == Effect::kNone) return;
    if constexpr (std::is_same_v<Rule, InputFile>) {
      members_.emplace_back(key, file(member));
    } else if constexpr (std::is_same_v<Rule, Seeds>) {
      members_.emplace_back(key, text_of(seeds_text(member)));
    } else {
      members_.emplace_back(key, text_of(member));
    }
  }

  void plan(const ProjectionPlan& plan) {
    if (!plan.mode.empty()) {
      members_.emplace_back("mode", text_of(plan.mode));
    } else {
      members_.emplace_back("plan", object_of(plan));
    }
  }

  /// The object of all fields that were visited.
  std::string object() const;

  /// A value as JSON.
  static std::string text_of(bool value) { return value ? "true" : "false"; }
  static std::string text_of(int64_t value) { return std::to_string(value); }
  static std::string text_of(double value);
  static std::string text_of(const std::string& value);
  std::string text_of(const std::vector<int64_t>& values) const;
  std::string text_of(const std::vector<VariantConfig>& variants) const;
  std::string text_of(const std::vector<GridAxis>& grid) const;

  template <typename T>
  std::string text_of(const std::optional<T>& value) const {
    return value ? text_of(*value) : "null";
  }

  template <typename... Ts>
  std::string text_of(const std::variant<Ts...>& value) const {
    return std::visit(
        [&](const auto& alternative) { return object_of(alternative, kind_of(value)); }, value);
  }

  template <typename T>
  std::string text_of(const T& value) const {
    if constexpr (std::is_enum_v<T>) {
      return text_of(enum_name(value));
    } else {
      return object_of(value);
    }
  }

 private:
  template <typename T>
  std::string object_of(const T& value, const std::string& kind = "") const {
    FieldWriter writer(style_, depth_ + 1);
    if (!kind.empty()) writer.members_.emplace_back("kind", text_of(kind));
    ConfigFields<T>::visit(value, writer);
    return writer.object();
  }

  std::string list_of(const std::vector<std::string>& values) const;

  std::string file(const std::optional<std::string>& path) const {
    return text_of(path && style_.file_digest ? style_.file_digest : path);
  }

  const FieldStyle& style_;
  size_t depth_;
  std::vector<std::pair<std::string, std::string>> members_;  // key, value as JSON
};

}  // namespace qkvlab
