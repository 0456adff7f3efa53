#include "base/json.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "base/error.hpp"
#include "base/json_place.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

const char* kind_name(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBoolean:
      return "a boolean";
    case JsonValue::Kind::kInteger:
      return "an integer";
    case JsonValue::Kind::kNumber:
      return "a number";
    case JsonValue::Kind::kString:
      return "a string";
    case JsonValue::Kind::kArray:
      return "an array";
    case JsonValue::Kind::kObject:
      return "an object";
  }
  throw std::logic_error("unknown JSON kind");
}

/// A number that is not an integer must not look like one: 3.0, not 3.
std::string non_integer_text(double value) {
  std::string text;
  append_number(text, value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

/// Copies of places of which nothing has been asked for, each made once.
class PlaceCopies {
 public:
  explicit PlaceCopies(const std::string& who) : who_(who) {}

  std::shared_ptr<JsonPlace> of(const std::shared_ptr<JsonPlace>& place) {
    std::shared_ptr<JsonPlace>& copy = copies_[place.get()];
    if (copy != nullptr) return copy;
    copy = std::make_shared<JsonPlace>(*place);
    copy->asked_for = false;
    copy->asked_in_vain.clear();
    if (place->parent == nullptr) {
      copy->step = who_ + copy->step;
    } else {
      copy->parent = of(place->parent);
    }
    return copy;
  }

 private:
  std::string who_;
  std::unordered_map<const JsonPlace*, std::shared_ptr<JsonPlace>> copies_;
};

std::string path_of(const JsonPlace* place) {
  std::vector<const std::string*> steps;
  for (; place != nullptr && place->parent != nullptr; place = place->parent.get()) {
    steps.push_back(&place->step);
  }
  std::string path;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) path += **step;
  if (!path.empty() && path.front() == '.') path.erase(0, 1);
  return path;
}

void fail_at(const JsonPlace* place, const std::string& path, int64_t line,
             const std::string& complaint) {
  while (place->parent != nullptr) place = place->parent.get();
  const std::string where =
      place->step + (place->has_lines ? ":" + std::to_string(line) : "") + ": ";
  throw UserError(where + (path.empty() ? "" : path + ": ") + complaint);
}

bool JsonValue::boolean() const {
  if (const bool* value = std::get_if<bool>(&value_)) return *value;
  fail_kind("true or false");
}

int64_t JsonValue::integer(int64_t low, int64_t high) const {
  const int64_t* value = std::get_if<int64_t>(&value_);
  if (value != nullptr && *value >= low && *value <= high) return *value;
  const std::string wanted = integer_wanted(low, high);
  if (value != nullptr) fail("must be " + wanted + ", got " + std::to_string(*value));
  if (const Number* number = std::get_if<Number>(&value_)) {
    fail("must be " + wanted + ", got " + non_integer_text(number->wide));
  }
  fail_kind(wanted);
}

double JsonValue::number() const {
  if (const int64_t* value = std::get_if<int64_t>(&value_)) return static_cast<double>(*value);
  if (const Number* value = std::get_if<Number>(&value_)) return value->wide;
  fail_kind("a number");
}

float JsonValue::float32() const {
  if (const int64_t* value = std::get_if<int64_t>(&value_)) return static_cast<float>(*value);
  const Number* value = std::get_if<Number>(&value_);
  if (value == nullptr) fail_kind("a number");
  if (!std::isfinite(value->narrow)) {
    fail("must be within the range of float32 (±3.4028235e38), got " +
         non_integer_text(value->wide));
  }
  return value->narrow;
}

const std::string& JsonValue::string() const {
  if (const std::string* value = std::get_if<std::string>(&value_)) return *value;
  fail_kind("a string");
}

const std::string& JsonValue::one_of(std::string_view what,
                                     const std::vector<std::string>& allowed) const {
  const std::string& value = string();
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    fail(unknown_name(what, value, allowed));
  }
  return value;
}

const JsonValue::Array& JsonValue::array() const {
  if (const Array* value = std::get_if<Array>(&value_)) return *value;
  fail_kind("an array");
}

const JsonValue* JsonValue::find(std::string_view key) const {
  const Members* all = std::get_if<Members>(&value_);
  if (all == nullptr) fail_kind("an object");
  for (const auto& [name, value] : *all) {
    if (name != key) continue;
    value.place_->asked_for = true;
    return &value;
  }
  place_->asked_in_vain.emplace(key);
  return nullptr;
}

const JsonValue& JsonValue::at(std::string_view key) const {
  const JsonValue* value = find(key);
  if (value == nullptr) fail("must have the key '" + std::string(key) + "'");
  return *value;
}

const JsonValue::Members& JsonValue::members() const {
  const Members* all = std::get_if<Members>(&value_);
  if (all == nullptr) fail_kind("an object");
  for (const auto& member : *all) member.second.place_->asked_for = true;
  return *all;
}

void JsonValue::refuse_unread_keys() const {
  const Members* all = std::get_if<Members>(&value_);
  if (all == nullptr) fail_kind("an object");
  const auto unread = std::find_if(all->begin(), all->end(), [](const auto& member) {
    return !member.second.place_->asked_for;
  });
  if (unread == all->end()) return;
  std::set<std::string> allowed = place_->asked_in_vain;
  for (const auto& [key, value] : *all) {
    if (value.place_->asked_for) allowed.insert(key);
  }
  unread->second.fail(unknown_name("key", unread->first, {allowed.begin(), allowed.end()}));
}

void JsonValue::fail(const std::string& complaint) const {
  fail_at(place_.get(), path(), line_, complaint);
}

void JsonValue::fail_below(const std::string& steps, const std::string& complaint) const {
  const std::string own = path();
  fail_at(place_.get(), own.empty() ? steps : own + "." + steps, line_, complaint);
}

JsonValue* JsonValue::edit(std::string_view key) {
  Members* all = std::get_if<Members>(&value_);
  if (all == nullptr) return nullptr;
  const auto found = std::find_if(all->begin(), all->end(),
                                  [&](const auto& member) { return member.first == key; });
  return found == all->end() ? nullptr : &found->second;
}

void JsonValue::set_member(std::string_view key, JsonValue value) {
  if (JsonValue* present = edit(key)) {
    *present = std::move(value);
  } else {
    std::get<Members>(value_).emplace_back(key, std::move(value));
  }
}

std::vector<std::string> JsonValue::keys() const {
  std::vector<std::string> keys;
  if (const Members* all = std::get_if<Members>(&value_)) {
    for (const auto& member : *all) keys.push_back(member.first);
  }
  return keys;
}

void JsonValue::remove_member(std::string_view key) {
  Members* all = std::get_if<Members>(&value_);
  if (all == nullptr) return;
  all->erase(std::remove_if(all->begin(), all->end(),
                            [&](const auto& member) { return member.first == key; }),
             all->end());
}

void JsonValue::become_empty_object() { value_ = Members{}; }

void JsonValue::renew_places(PlaceCopies& copies) {
  place_ = copies.of(place_);
  if (Array* elements = std::get_if<Array>(&value_)) {
    for (JsonValue& element : *elements) element.renew_places(copies);
  } else if (Members* all = std::get_if<Members>(&value_)) {
    for (auto& member : *all) member.second.renew_places(copies);
  }
}

JsonValue JsonValue::unread_copy(const std::string& who) const {
  JsonValue copy = *this;
  PlaceCopies copies(who);
  copy.renew_places(copies);
  return copy;
}

std::string JsonValue::text() const { return place_->typed ? *place_->typed : string(); }

void JsonValue::set_typed(std::string text) { place_->typed = std::move(text); }

void JsonValue::fail_kind(const std::string& wanted) const {
  fail("must be " + wanted + ", got " + kind_name(kind()));
}

std::string JsonValue::path() const {
  std::string path = path_of(place_.get());
  if (index_ >= 0) path += "[" + std::to_string(index_) + "]";
  return path;
}

JsonValue JsonValue::within(std::string_view key) const {
  JsonValue object;
  object.place_ = std::make_shared<JsonPlace>(*place_);
  object.place_->asked_for = false;
  object.place_->asked_in_vain.clear();
  object.line_ = line_;
  std::string& step = object.place_->step;
  const std::string last = "." + std::string(key);
  const bool ends_in_it =
      step.size() >= last.size() && step.compare(step.size() - last.size(), last.size(), last) == 0;
  if (ends_in_it) step.erase(step.size() - last.size());
  object.value_ = Members{{std::string(key), *this}};
  return object;
}

std::pair<size_t, size_t> JsonValue::span() const {
  if (kind() != Kind::kArray && kind() != Kind::kObject) {
    throw std::logic_error("only arrays and objects know their span");
  }
  return {place_->begin, place_->end};
}

JsonValue read_json_file(const std::string& path) { return parse_json(read_text_file(path), path); }

const JsonValue* find_path(const JsonValue& value, std::string_view path) {
  const JsonValue* found = &value;
  for (size_t at = 0; found != nullptr && at <= path.size();) {
    if (found->kind() != JsonValue::Kind::kObject) return nullptr;
    const size_t dot = std::min(path.find('.', at), path.size());
    found = found->find(path.substr(at, dot - at));
    at = dot + 1;
  }
  return found;
}

}  // namespace qkvlab
