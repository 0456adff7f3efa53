#include "config/experiment_schema.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "config/ablation_reader.hpp"
#include "config/field_description.hpp"
#include "config/projection_plan.hpp"

namespace qkvlab {

namespace {

using Json = nlohmann::ordered_json;
using Type = FieldDescription::Type;

const char* type_name(Type type) {
  switch (type) {
    case Type::kBoolean:
      return "boolean";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kString:
      return "string";
    case Type::kIntegers:
      return "array";
    default:
      return "object";
  }
}

void add_range(Json& schema, const IntegerRange& range) {
  if (range.low != INT64_MIN) schema["minimum"] = range.low;
  if (range.high != INT64_MAX) schema["maximum"] = range.high;
}

void add_range(Json& schema, const NumberRange& range) {
  if (std::isfinite(range.low)) schema[range.low_open ? "exclusiveMinimum" : "minimum"] = range.low;
  if (std::isfinite(range.high)) {
    schema[range.high_open ? "exclusiveMaximum" : "maximum"] = range.high;
  }
}

Json schema_of(const FieldDescription& field);

/// Adds the members that an object may have, and that it may have no others.
void add_fields(Json& schema, const std::vector<FieldDescription>& fields) {
  Json required = Json::array();
  for (const FieldDescription& field : fields) {
    schema["properties"][field.key] = schema_of(field);
    if (field.required) required.push_back(field.key);
    if (!field.instead_of.empty()) {
      schema["not"] = {{"required", {field.instead_of, field.key}}};
    }
  }
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
}

/// What holds of an object of a kind; one that says none is of the default kind.
void add_kinds(Json& schema, const FieldDescription& field) {
  Json& kind = schema["properties"]["kind"];
  kind["description"] = "which fields there are";
  kind["enum"] = Json::array();
  kind["default"] = field.default_kind;
  schema["allOf"] = Json::array();
  for (const FieldDescription::Kind& alternative : field.kinds) {
    kind["enum"].push_back(alternative.name);
    Json condition = {{"properties", {{"kind", {{"const", alternative.name}}}}}};
    if (alternative.name != field.default_kind) condition["required"] = {"kind"};
    Json consequence = {{"properties", {{"kind", true}}}};
    add_fields(consequence, alternative.fields);
    schema["allOf"].push_back({{"if", condition}, {"then", consequence}});
  }
}

void add_seeds(Json& schema) {
  const Json text = {{"type", "string"}, {"pattern", seeds_pattern()}};
  const Json element = {{"anyOf", {text, {{"type", "integer"}, {"minimum", 0}}}}};
  schema["anyOf"] = {text, {{"type", "array"}, {"minItems", 1}, {"items", element}}};
}

void add_variants(Json& schema) {
  const Json modes = {
      {"type", "array"}, {"uniqueItems", true}, {"items", {{"enum", attention_mode_names()}}}};
  const Json overrides = {{"type", "object"},
                          {"propertyNames", {{"pattern", ablated_path_pattern()}}}};
  const std::string letter = "[^\\x00-\\x1f\\x7f]", but_blank = "[^ \\x00-\\x1f\\x7f]";
  const std::string name = "^" + but_blank + "(" + letter + "*" + but_blank + ")?$";
  const Json names = {{"type", "object"},
                      {"propertyNames", {{"pattern", name}}},
                      {"additionalProperties", overrides}};
  schema["anyOf"] = {names, modes};
}

void add_grid(Json& schema) {
  schema["propertyNames"]["pattern"] = ablated_path_pattern();
  schema["additionalProperties"] = {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}};
}

Json schema_of(const FieldDescription& field) {
  Json schema = {{"description", field.doc}};
  if (field.nullable) {
    schema["type"] = {type_name(field.type), "null"};
  } else if (field.type != Type::kSeeds && field.type != Type::kVariants) {
    schema["type"] = type_name(field.type);
  }
  if (!field.names.empty()) {
    schema["enum"] = field.names;
    if (field.nullable) schema["enum"].push_back(nullptr);
  }
  if (field.is_file) schema["minLength"] = 1;
  if (!field.default_json.empty()) schema["default"] = Json::parse(field.default_json);
  switch (field.type) {
    case Type::kInteger:
      add_range(schema, field.integers);
      break;
    case Type::kNumber:
      add_range(schema, field.numbers);
      break;
    case Type::kIntegers:
      schema["items"]["type"] = "integer";
      add_range(schema["items"], field.integers);
      break;
    case Type::kSeeds:
      add_seeds(schema);
      break;
    case Type::kVariants:
      add_variants(schema);
      break;
    case Type::kGrid:
      add_grid(schema);
      break;
    case Type::kObject:
      add_fields(schema, field.fields);
      break;
    case Type::kTagged:
      add_kinds(schema, field);
      break;
    default:
      break;
  }
  return schema;
}

}  // namespace

std::string experiment_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "An experiment of qkvlab"},
                 {"type", "object"}};
  schema["properties"]["$schema"] = {{"description", "this schema, for editors"},
                                     {"type", "string"}};
  add_fields(schema, experiment_fields());
  return schema.dump(2) + "\n";
}

}  // namespace qkvlab
