#include "base/json_difference.hpp"

#include "base/json_text.hpp"

namespace qkvlab {

namespace {

using Kind = JsonValue::Kind;

bool is_number(const JsonValue& value) {
  return value.kind() == Kind::kInteger || value.kind() == Kind::kNumber;
}

/// A scalar as JSON; an array or object by what it is.
std::string short_text(const JsonValue* value) {
  if (value == nullptr) return "missing";
  if (value->kind() == Kind::kArray) return "an array of " + std::to_string(value->array().size());
  if (value->kind() == Kind::kObject) return "an object";
  return json_text(*value);
}

/// Two values at one path.
class Comparison {
 public:
  Comparison(std::string left_place, std::string right_place)
      : left_place_(std::move(left_place)), right_place_(std::move(right_place)) {}

  std::optional<std::string> of(const JsonValue& left, const JsonValue& right,
                                const std::string& path) const {
    if (left.kind() == Kind::kObject && right.kind() == Kind::kObject) {
      return of_objects(left, right, path);
    }
    if (left.kind() == Kind::kArray && right.kind() == Kind::kArray) {
      return of_arrays(left, right, path);
    }
    const bool equal = is_number(left) && is_number(right)
                           ? left.number() == right.number()
                           : left.kind() == right.kind() && short_text(&left) == short_text(&right);
    if (equal) return {};
    return difference(path, &left, &right);
  }

 private:
  std::optional<std::string> of_objects(const JsonValue& left, const JsonValue& right,
                                        const std::string& path) const {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const auto& [key, value] : left.members()) {
      const JsonValue* other = right.find(key);
      const auto found = other == nullptr ? difference(prefix + key, &value, nullptr)
                                          : of(value, *other, prefix + key);
      if (found) return found;
    }
    for (const auto& [key, value] : right.members()) {
      if (left.find(key) == nullptr) return difference(prefix + key, nullptr, &value);
    }
    return {};
  }

  std::optional<std::string> of_arrays(const JsonValue& left, const JsonValue& right,
                                       const std::string& path) const {
    if (left.array().size() != right.array().size()) return difference(path, &left, &right);
    for (size_t i = 0; i < left.array().size(); ++i) {
      const std::string step = path + "[" + std::to_string(i) + "]";
      if (const auto found = of(left.array()[i], right.array()[i], step)) return found;
    }
    return {};
  }

  std::string difference(const std::string& path, const JsonValue* left,
                         const JsonValue* right) const {
    return path + " is " + short_text(left) + " " + left_place_ + ", " + short_text(right) + " " +
           right_place_;
  }

  std::string left_place_, right_place_;
};

}  // namespace

std::optional<std::string> first_difference(const JsonValue& left, const JsonValue& right,
                                            const std::string& left_place,
                                            const std::string& right_place) {
  return Comparison(left_place, right_place).of(left, right, "");
}

}  // namespace qkvlab
