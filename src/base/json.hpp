#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace qkvlab {

/// One value of a JSON text that knows where it stands, so that every complaint about it can name
/// file, line and key path: `configs/x.json:7: model.n_heads: must be 1 to 64, got 0`.
///
/// Strict: duplicate keys, comments, trailing commas, trailing text, NaN, more than 64 levels and
/// numbers outside double's range are errors. Getters check type and range and throw UserError.
///
/// An object remembers which of its keys were asked for; `refuse_unread_keys` names the rest with
/// the nearest spelling, so that no key is ever silently ignored.
class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Members = std::vector<std::pair<std::string, JsonValue>>;
  enum class Kind { kNull, kBoolean, kInteger, kNumber, kString, kArray, kObject };

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }

  bool boolean() const;
  /// An integer within [low, high]; 3.0 and 3e0 are not integers, nor is anything beyond int64.
  int64_t integer(int64_t low = INT64_MIN, int64_t high = INT64_MAX) const;
  /// A finite number; integers count.
  double number() const;
  const std::string& string() const;
  /// A string that is one of `allowed`; `what` is the noun of the complaint ("mode").
  const std::string& one_of(std::string_view what, const std::vector<std::string>& allowed) const;
  const Array& array() const;

  /// The member `key` of an object, or nullptr; throws where this is not an object.
  const JsonValue* find(std::string_view key) const;
  /// The member `key` of an object; throws where it is missing.
  const JsonValue& at(std::string_view key) const;
  /// All members in the order of the text; counts as having asked for all.
  const Members& members() const;
  /// Throws where a member was never asked for by `find`, `at` or `members`; all keys that were
  /// ever asked for, found or not, are what is allowed.
  void refuse_unread_keys() const;

  /// Throws UserError: "FILE:LINE: KEY.PATH: complaint".
  [[noreturn]] void fail(const std::string& complaint) const;

  /// Its place in the text: "w_q[2]", empty for the whole.
  const std::string& path() const { return path_; }
  int64_t line() const { return line_; }

 private:
  friend class JsonBuilder;
  std::variant<std::nullptr_t, bool, int64_t, double, std::string, Array, Members> value_ = nullptr;
  std::shared_ptr<const std::string> source_;  // the file's name, shared by the whole tree
  std::string path_;
  int64_t line_ = 0;
  mutable std::set<std::string, std::less<>> asked_for_;
};

/// Parses one JSON text. `source` is the file's name in complaints. Throws UserError with the line
/// of the mistake.
JsonValue parse_json(std::string_view text, const std::string& source);

/// read_text_file and parse_json.
JsonValue read_json_file(const std::string& path);

}  // namespace qkvlab
