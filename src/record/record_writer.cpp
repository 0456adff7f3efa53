#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/nested_array.hpp"
#include "base/number_text.hpp"
#include "record/record_fields.hpp"
#include "record/record_lines.hpp"

namespace qkvlab {

namespace {

void append_value(std::string& out, const std::string& text) { append_json_string(out, text); }
void append_value(std::string& out, int64_t value) { append_number(out, value); }
void append_value(std::string& out, float value) { append_number(out, value); }
void append_value(std::string& out, double value) { append_number(out, value); }

template <typename T>
void append_value(std::string& out, const std::vector<T>& values) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    append_value(out, values[i]);
  }
  out += ']';
}

/// Writes the fields of one object (see Fields).
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {
    constexpr size_t kUsual = 8;
    names_.reserve(kUsual);
    out_ += '{';
  }
  void finish() { out_ += '}'; }

  template <typename T>
  void field(std::string_view name, const T& value) {
    key(name);
    append_value(out_, value);
  }

  template <typename T>
  void field(std::string_view name, const std::vector<std::pair<std::string, T>>& values) {
    object(name, [&](FieldWriter& members) { members.flat(values); });
  }

  void optional(std::string_view name, const std::string& text) {
    if (!text.empty()) field(name, text);
  }

  void schema(std::string_view name, int64_t value) { field(name, value); }

  template <typename Visit>
  void object(std::string_view name, const Visit& visit) {
    key(name);
    FieldWriter members(out_);
    visit(members);
    members.finish();
  }

  void raw(std::string_view name, const std::string& text) {
    require(!text.empty() && text.front() == '{' && text.back() == '}',
            "a record's raw field must be an object");
    require(text.find('\n') == std::string::npos, "a record must stay on one line");
    key(name);
    out_ += text;
  }

  void cell(std::string_view name, const Cell& cell) {
    object(name, [&](FieldWriter& members) {
      for (const auto& [path, value] : cell) {
        require(value.find('\n') == std::string::npos, "a record must stay on one line");
        members.key(path);
        members.out_ += value;
      }
    });
  }

  void nested(std::string_view name, const std::vector<float>& values,
              const std::vector<int64_t>& shape) {
    key(name);
    write_nested_array(values, shape, [&](std::string_view piece) { out_ += piece; });
  }

  void matrix(std::string_view name, const std::vector<float>& values, int64_t rows,
              int64_t columns) {
    nested(name, values, {rows, columns});
  }

  template <typename T>
  void flat(const std::vector<std::pair<std::string, T>>& values) {
    for (const auto& [name, value] : values) field(name, value);
  }

 private:
  void key(std::string_view name) {
    const bool is_new = std::find(names_.begin(), names_.end(), name) == names_.end();
    require(is_new, "a record's object must not name a field twice");
    if (!names_.empty()) out_ += ',';
    names_.push_back(name);
    append_json_string(out_, name);
    out_ += ':';
  }

  std::string& out_;
  std::vector<std::string_view> names_;  // few: looking through them beats any set
};

}  // namespace

void append_record(std::string& out, const Record& record) {
  std::visit(
      [&](const auto& typed) {
        using Type = std::decay_t<decltype(typed)>;
        FieldWriter line(out);
        line.field("type", std::string(Type::kType));
        line.field("run", typed.run);
        Fields<Type>::visit(typed, line);
        line.finish();
      },
      record);
  out += '\n';
}

}  // namespace qkvlab
