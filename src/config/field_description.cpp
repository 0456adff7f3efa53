#include "config/field_description.hpp"

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "config/enum_names.hpp"
#include "config/experiment_fields.hpp"
#include "config/field_types.hpp"
#include "config/field_writer.hpp"

namespace qkvlab {

namespace {

using Type = FieldDescription::Type;

/// Describes the fields of one object (see ConfigFields), whose members have their defaults.
class FieldDescriber {
 public:
  template <typename T>
  static std::vector<FieldDescription> fields_of(const T& config) {
    FieldDescriber describer;
    ConfigFields<T>::visit(config, describer);
    return std::move(describer.fields_);
  }

  template <typename T, typename Rule = Any>
  void field(const char* key, const T& member, const char* doc, const Rule& rule = {},
             Effect effect = Effect::kResults) {
    FieldDescription& field = fields_.emplace_back();
    field.key = key;
    field.doc = doc;
    field.affects_results = effect == Effect::kResults;
    describe(field, member, rule);
  }

  void plan(const ProjectionPlan& plan) {
    field("mode", plan.mode, "an attention mode: where query, key and value come from");
    fields_.back().names = attention_mode_names();
    field("plan", plan, "the same said one by one, for a plan that is no mode");
    fields_.back().instead_of = "mode";
  }

 private:
  template <typename T>
  static void set_default(FieldDescription& field, const T& value) {
    const FieldStyle style;
    field.default_json = FieldWriter(style).text_of(value);
  }

  template <typename Rule>
  static void describe(FieldDescription& field, bool value, const Rule&) {
    field.type = Type::kBoolean;
    set_default(field, value);
  }
  static void describe(FieldDescription& field, int64_t value, const IntegerRange& range) {
    field.type = Type::kInteger;
    field.integers = range;
    set_default(field, value);
  }
  static void describe(FieldDescription& field, double value, const NumberRange& range) {
    field.type = Type::kNumber;
    field.numbers = range;
    set_default(field, value);
  }
  static void describe(FieldDescription& field, double value, const Any&) {
    describe(field, value, NumberRange{});
  }
  template <typename Rule>
  static void describe(FieldDescription& field, const std::string& value,
                       [[maybe_unused]] const Rule& rule) {
    field.type = Type::kString;
    if constexpr (std::is_same_v<Rule, InputFile>) {
      field.is_file = true;
      field.required = rule.required;
    }
    if (!value.empty()) set_default(field, value);
  }
  static void describe(FieldDescription& field, const std::vector<int64_t>& values,
                       const IntegerRange& range) {
    field.type = Type::kIntegers;
    field.integers = range;
    set_default(field, values);
  }
  static void describe(FieldDescription& field, const std::vector<int64_t>& seeds, const Seeds&) {
    field.type = Type::kSeeds;
    set_default(field, seeds_text(seeds));
  }
  static void describe(FieldDescription& field, const std::vector<VariantConfig>& variants,
                       const Any&) {
    field.type = Type::kVariants;
    set_default(field, variants);
  }
  static void describe(FieldDescription& field, const std::vector<GridAxis>& grid, const Any&) {
    field.type = Type::kGrid;
    set_default(field, grid);
  }
  template <typename T, typename Rule>
  static void describe(FieldDescription& field, const std::optional<T>& value, const Rule& rule) {
    describe(field, value.value_or(T{}), rule);
    field.nullable = true;
    if (!value) field.default_json = "null";
  }
  template <typename... Ts, typename Rule>
  static void describe(FieldDescription& field, const std::variant<Ts...>& value, const Rule&) {
    field.type = Type::kTagged;
    field.kinds = {{Ts::kKind, fields_of(Ts{})}...};
    field.default_kind = kind_of(value);
  }
  template <typename T, typename Rule>
  static void describe(FieldDescription& field, const T& value, const Rule&) {
    if constexpr (std::is_enum_v<T>) {
      field.type = Type::kString;
      field.names = enum_names<T>();
      set_default(field, value);
    } else {
      field.fields = fields_of(value);
    }
  }

  std::vector<FieldDescription> fields_;
};

}  // namespace

std::vector<FieldDescription> experiment_fields() {
  return FieldDescriber::fields_of(ExperimentConfig{});
}

}  // namespace qkvlab
