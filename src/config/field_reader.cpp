#include "config/field_reader.hpp"

#include "base/number_text.hpp"

namespace qkvlab {

namespace {

bool is_within(double value, const NumberRange& range) {
  const bool above = range.low_open ? value > range.low : value >= range.low;
  const bool below = range.high_open ? value < range.high : value <= range.high;
  return above && below;
}

}  // namespace

void FieldReader::read(const JsonValue& json, double& value, const NumberRange& range) {
  value = json.number();
  if (is_within(value, range)) return;
  std::string given;
  append_number(given, value);
  json.fail("must be " + number_wanted(range) + ", got " + given);
}

void FieldReader::plan(ProjectionPlan& plan) {
  const JsonValue* mode = object_.find("mode");
  const JsonValue* sources = object_.find("plan");
  if (mode != nullptr) {
    plan = attention_mode(mode->one_of("mode", attention_mode_names()));
    if (sources != nullptr) sources->fail("cannot be combined with a mode");
  } else if (sources != nullptr) {
    ProjectionPlan given;
    FieldReader reader(*sources);
    ConfigFields<ProjectionPlan>::visit(given, reader);
    reader.finish();
    if (const std::string key = chained_reference(given); !key.empty()) {
      sources->at(key).fail("may not reference another reference");
    }
    plan = plan_of(given.query, given.key, given.value);
  }
}

void FieldReader::finish() const {
  object_.refuse_unread_keys();
  for (const std::string& key : missing_) object_.at(key);
}

}  // namespace qkvlab
