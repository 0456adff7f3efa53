#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/spelling.hpp"
#include "record/record_fields.hpp"
#include "record/record_lines.hpp"

namespace qkvlab {

namespace {

template <typename T>
std::optional<T> non_finite(const std::string& text) {
  if (text == "NaN") return std::numeric_limits<T>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<T>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<T>::infinity();
  return std::nullopt;
}

/// Whether a value stands for a number: one, or the name of a non-finite one.
bool is_number(const JsonValue& json) {
  switch (json.kind()) {
    case JsonValue::Kind::kInteger:
    case JsonValue::Kind::kNumber:
      return true;
    case JsonValue::Kind::kString:
      return non_finite<float>(json.string()).has_value();
    default:
      return false;
  }
}

template <typename T>
T read_floating(const JsonValue& json) {
  if (!is_number(json)) json.fail(R"(must be a number, "NaN", "Infinity" or "-Infinity")");
  if (json.kind() == JsonValue::Kind::kString) return *non_finite<T>(json.string());
  if constexpr (std::is_same_v<T, float>) {
    return json.float32();
  } else {
    return json.number();
  }
}

void read_value(const JsonValue& json, std::string& value) { value = json.string(); }
void read_value(const JsonValue& json, int64_t& value) { value = json.integer(); }
void read_value(const JsonValue& json, float& value) { value = read_floating<float>(json); }
void read_value(const JsonValue& json, double& value) { value = read_floating<double>(json); }

template <typename T>
void read_value(const JsonValue& json, std::vector<T>& values) {
  values.reserve(json.array().size());
  for (const JsonValue& element : json.array()) read_value(element, values.emplace_back());
}

template <typename T>
void read_value(const JsonValue& json, std::vector<std::pair<std::string, T>>& values) {
  values.reserve(json.members().size());
  for (const auto& [name, member] : json.members()) {
    read_value(member, values.emplace_back(name, T{}).second);
  }
}

const JsonValue::Array& array_of_length(const JsonValue& json, int64_t length) {
  const JsonValue::Array& array = json.array();
  if (static_cast<int64_t>(array.size()) != length) {
    json.fail("must have the length " + std::to_string(length) + ", got " +
              std::to_string(array.size()));
  }
  return array;
}

/// Reads what lies below the first `level` dimensions.
void read_nested(const JsonValue& json, const std::vector<int64_t>& shape, size_t level,
                 std::vector<float>& values) {
  if (level == shape.size()) {
    read_value(json, values.emplace_back());
    return;
  }
  for (const JsonValue& element : array_of_length(json, shape[level])) {
    read_nested(element, shape, level + 1, values);
  }
}

/// Reads the fields of one object (see Fields); fields that nobody asks for are those of a newer
/// writer.
class FieldReader {
 public:
  FieldReader(const JsonValue& object, std::string_view line) : object_(object), line_(line) {}

  template <typename T>
  void field(std::string_view name, T& value) {
    read_value(at(name), value);
  }

  void optional(std::string_view name, std::string& text) {
    known_.push_back(name);
    if (const JsonValue* json = object_.find(name)) read_value(*json, text);
  }

  void schema(std::string_view name, int64_t& value) {
    const JsonValue& json = at(name);
    schema_ = value = json.integer(1);
    if (value > kRecordSchema) {
      json.fail("must be at most " + std::to_string(kRecordSchema) + ", got " +
                std::to_string(value) + "; was it written by a newer qkvlab?");
    }
  }

  template <typename Visit>
  void object(std::string_view name, const Visit& visit) {
    FieldReader members(at(name), line_);
    visit(members);
  }

  void raw(std::string_view name, std::string& text) {
    const JsonValue& json = at(name);
    json.members();  // must be an object
    const auto [begin, end] = json.span();
    text = line_.substr(begin, end - begin);
  }

  void cell(std::string_view name, Cell& cell) {
    known_.push_back(name);
    const JsonValue* json = object_.find(name);
    if (json == nullptr && schema_ < kRecordSchemaOfCells) return;
    for (const auto& [path, value] : object_.at(name).members())
      cell.emplace_back(path, json_text(value));
  }

  void nested(std::string_view name, std::vector<float>& values,
              const std::vector<int64_t>& shape) {
    read_nested(at(name), shape, 0, values);
  }

  void matrix(std::string_view name, std::vector<float>& values, int64_t& rows, int64_t& columns) {
    const JsonValue::Array& array = at(name).array();
    rows = static_cast<int64_t>(array.size());
    columns = array.empty() ? 0 : static_cast<int64_t>(array.front().array().size());
    read_nested(at(name), {rows, columns}, 0, values);
  }

  template <typename T>
  void flat(std::vector<std::pair<std::string, T>>& values) {
    for (const auto& [name, json] : object_.members()) {
      const bool known = std::find(known_.begin(), known_.end(), name) != known_.end();
      if (known || !is_number(json)) continue;
      read_value(json, values.emplace_back(name, T{}).second);
    }
  }

  const JsonValue& at(std::string_view name) {
    known_.push_back(name);
    return object_.at(name);
  }

 private:
  const JsonValue& object_;
  std::string_view line_;
  int64_t schema_ = kRecordSchema;
  std::vector<std::string_view> known_;  // the fields that were asked for by name
};

template <typename Type>
Record read_as(FieldReader& line) {
  Type record;
  line.field("run", record.run);
  Fields<Type>::visit(record, line);
  return record;
}

struct RecordType {
  const char* name;
  Record (*read)(FieldReader& line);
};

template <size_t... index>
std::vector<RecordType> record_types(std::index_sequence<index...>) {
  return {{std::variant_alternative_t<index, Record>::kType,
           read_as<std::variant_alternative_t<index, Record>>}...};
}

const std::vector<RecordType>& record_types() {
  static const auto types = record_types(std::make_index_sequence<std::variant_size_v<Record>>());
  return types;
}

/// The record, or nothing where its type is unknown and `unknown_type_fails` does not hold.
std::optional<Record> read_line(std::string_view line, const std::string& source,
                                int64_t line_number, bool unknown_type_fails) {
  const JsonValue json = parse_json(line, source, line_number);
  FieldReader reader(json, line);
  const JsonValue& type = reader.at("type");
  const auto& types = record_types();
  const auto known = std::find_if(types.begin(), types.end(), [&](const RecordType& candidate) {
    return candidate.name == type.string();
  });
  if (known != types.end()) return known->read(reader);
  if (!unknown_type_fails) return std::nullopt;
  std::vector<std::string> names;
  names.reserve(types.size());
  for (const RecordType& candidate : types) names.emplace_back(candidate.name);
  type.fail(unknown_name("record type", type.string(), names));
}

}  // namespace

Record parse_record(std::string_view line, const std::string& source, int64_t line_number) {
  return *read_line(line, source, line_number, true);
}

std::optional<Record> parse_known_record(std::string_view line, const std::string& source,
                                         int64_t line_number) {
  return read_line(line, source, line_number, false);
}

}  // namespace qkvlab
