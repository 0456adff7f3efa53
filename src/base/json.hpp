#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace qkvlab {

struct JsonPlace;
class PlaceCopies;

/// One value of a JSON text that knows where it stands, so that every complaint about it can name
/// file, line and key path:
/// `configs/x.json:7: model.n_heads: must be an integer from 1 to 64, got 70`.
///
/// Strict: duplicate keys, comments, trailing commas, trailing text, NaN, more than 64 levels and
/// numbers outside double's range are errors. Getters check type and range and throw UserError.
///
/// An object remembers which of its keys were asked for; `refuse_unread_keys` names the rest with
/// the nearest spelling, so that no key is ever silently ignored. Copies of a value share that
/// memory. Values own all they need: the text may be gone before them.
class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Members = std::vector<std::pair<std::string, JsonValue>>;
  enum class Kind { kNull, kBoolean, kInteger, kNumber, kString, kArray, kObject };

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }

  bool boolean() const;
  /// An integer within [low, high]; 3.0 and 3e0 are not integers, nor is anything beyond int64.
  int64_t integer(int64_t low = INT64_MIN, int64_t high = INT64_MAX) const;
  /// A finite number; integers count.
  double number() const;
  /// A number within float32's range, rounded once: by way of a double, a float32's shortest text
  /// may read back as its neighbour (7.038531e-26 does).
  float float32() const;
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
  /// The same of a member `steps` ("optimizer.lr") that is not there.
  [[noreturn]] void fail_below(const std::string& steps, const std::string& complaint) const;

  /// The member `key` of an object for changing it, or nullptr, also where this is not an object.
  /// Does not count as having asked for it.
  JsonValue* edit(std::string_view key);
  /// Puts a member in the place of the one with its key, or after all of them; it still stands
  /// where it was read. This must be an object (checked).
  void set_member(std::string_view key, JsonValue value);
  /// The keys of an object, in the order of the text; none where this is not one. Does not count as
  /// having asked for them.
  std::vector<std::string> keys() const;
  /// Removes the member `key`, if there is one.
  void remove_member(std::string_view key);
  /// A copy of which nothing has been asked for yet; for complaints `who` stands before the name of
  /// its source. Of an object whose members come from several texts each keeps its own.
  JsonValue unread_copy(const std::string& who = "") const;
  /// Makes this an object without members, where it stands.
  void become_empty_object();

  /// The text of a string; or, of a scalar that was typed as the value of an override, that text.
  std::string text() const;
  /// Says that this was typed so.
  void set_typed(std::string text);

  /// An object of one member, `key`, that is this value. For complaints it stands where this
  /// stands, less a `key` at the end of that: around the value of "model.mlp.ratio" stands
  /// "model.mlp".
  JsonValue within(std::string_view key) const;

  /// Its place in the text: "w_q[2]", empty for the whole. Put together on each call.
  std::string path() const;
  int64_t line() const { return line_; }
  /// Where the text of an array or object starts and ends, in bytes: [first, second).
  std::pair<size_t, size_t> span() const;

 private:
  friend class JsonBuilder;
  JsonValue() = default;
  struct Number {
    double wide;
    float narrow;  // infinite beyond float32's range
  };
  [[noreturn]] void fail_kind(const std::string& wanted) const;
  void renew_places(PlaceCopies& copies);

  // In the order of Kind.
  std::variant<std::nullptr_t, bool, int64_t, Number, std::string, Array, Members> value_ = nullptr;
  // A scalar in an array has no place of its own but an index in that of the array, so that an
  // array of numbers stays cheap.
  std::shared_ptr<JsonPlace> place_;
  int64_t index_ = -1;
  int64_t line_ = 0;
};

/// The value at a dotted path of keys ("model.mlp.ratio"), or nullptr where a step is missing or
/// what it is in is no object.
const JsonValue* find_path(const JsonValue& value, std::string_view path);

/// As `first_line` of a text that is not a file: complaints name no line.
constexpr int64_t kNoLines = 0;

/// Parses one JSON text. `source` is the file's name in complaints, `first_line` the number of the
/// text's first line in it. Throws UserError with the line of the mistake.
JsonValue parse_json(std::string_view text, const std::string& source, int64_t first_line = 1);

/// read_text_file and parse_json.
JsonValue read_json_file(const std::string& path);

}  // namespace qkvlab
