#include "config/attend_input.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

/// Whether an object has one of the keys; all of them are known from then on.
bool has_any(const JsonValue& root, const std::vector<std::string>& keys) {
  bool found = false;
  for (const std::string& key : keys) found |= root.find(key) != nullptr;
  return found;
}

/// A non-empty array of equally long, non-empty arrays of numbers.
HandMatrix read_matrix(const JsonValue& json) {
  HandMatrix matrix;
  for (const JsonValue& row : json.array()) {
    const auto columns = static_cast<int64_t>(row.array().size());
    if (columns == 0) row.fail("must hold at least one number");
    if (matrix.rows == 0) matrix.columns = columns;
    if (columns != matrix.columns) {
      row.fail("must hold " + counted(matrix.columns, "number") + " like the rows before it, got " +
               std::to_string(columns));
    }
    for (const JsonValue& value : row.array()) matrix.values.push_back(value.number());
    ++matrix.rows;
  }
  if (matrix.rows == 0) json.fail("must hold at least one row");
  return matrix;
}

void refuse_beyond(const JsonValue& json, int64_t tokens, const Limits& limits) {
  if (tokens <= limits.tokens_per_sequence) return;
  json.fail("holds " + counted(tokens, "token") + ", allowed are at most " +
            std::to_string(limits.tokens_per_sequence));
}

void need_columns(const JsonValue& json, const HandMatrix& matrix, int64_t columns,
                  const std::string& reason) {
  if (matrix.columns == columns) return;
  json.fail("must have " + counted(columns, "column") + " (" + reason + "), got " +
            std::to_string(matrix.columns));
}

void need_rows(const JsonValue& json, const HandMatrix& matrix, int64_t rows,
               const std::string& reason) {
  if (matrix.rows == rows) return;
  json.fail("must have " + counted(rows, "row") + " (" + reason + "), got " +
            std::to_string(matrix.rows));
}

void read_projected(const JsonValue& root, const Limits& limits, AttendInput& input) {
  input.x = read_matrix(root.at("x"));
  refuse_beyond(root.at("x"), input.x->rows, limits);
  input.w_q = read_matrix(root.at("w_q"));
  input.w_k = read_matrix(root.at("w_k"));
  input.w_v = read_matrix(root.at("w_v"));
  const std::string width = "[out, in], where in is the width of x";
  need_columns(root.at("w_q"), *input.w_q, input.x->columns, width);
  need_columns(root.at("w_k"), *input.w_k, input.x->columns, width);
  need_columns(root.at("w_v"), *input.w_v, input.x->columns, width);
  need_rows(root.at("w_k"), *input.w_k, input.w_q->rows, "as w_q: queries and keys are multiplied");
}

void read_direct(const JsonValue& root, const Limits& limits, AttendInput& input) {
  input.q = read_matrix(root.at("q"));
  input.k = read_matrix(root.at("k"));
  input.v = read_matrix(root.at("v"));
  refuse_beyond(root.at("q"), input.q->rows, limits);
  refuse_beyond(root.at("k"), input.k->rows, limits);
  need_columns(root.at("k"), *input.k, input.q->columns, "as q: queries and keys are multiplied");
  need_rows(root.at("v"), *input.v, input.k->rows, "as k: one value per key");
}

/// Everything that is computed, in double precision, with the three weights alive at once and one
/// copy.
void refuse_beyond_memory(const JsonValue& root, const AttendInput& input, const Limits& limits) {
  const auto queries = static_cast<double>(input.queries());
  const auto keys = static_cast<double>(input.keys());
  const auto width = static_cast<double>(input.x ? input.w_q->rows : input.q->columns);
  const auto value_width = static_cast<double>(input.x ? input.w_v->rows : input.v->columns);
  const double numbers = (queries + keys) * (width + value_width) + 8 * queries * keys;
  const double megabytes = numbers * sizeof(double) / 1e6;
  if (megabytes <= static_cast<double>(limits.memory_mb)) return;
  root.fail("needs about " + fixed(megabytes, 0) + " MB, allowed are at most " +
            std::to_string(limits.memory_mb));
}

/// true, false, 1 or 0.
bool read_flag(const JsonValue& json) {
  if (json.kind() == JsonValue::Kind::kInteger) return json.integer(0, 1) == 1;
  if (json.kind() == JsonValue::Kind::kBoolean) return json.boolean();
  json.fail("must be true, false, 1 or 0");
}

void need_one_per_key(const JsonValue& json, size_t got, const AttendInput& input) {
  if (static_cast<int64_t>(got) == input.keys()) return;
  json.fail("must hold one entry per key (" + std::to_string(input.keys()) + "), got " +
            std::to_string(got));
}

void read_options(const JsonValue& root, AttendInput& input) {
  if (const JsonValue* causal = root.find("causal")) input.causal = causal->boolean();
  if (const JsonValue* valid = root.find("key_valid")) {
    for (const JsonValue& flag : valid->array()) input.key_valid.push_back(read_flag(flag));
    need_one_per_key(*valid, input.key_valid.size(), input);
  }
  if (const JsonValue* scale = root.find("scale")) input.scale = scale->number();
  if (const JsonValue* tokens = root.find("tokens")) {
    for (const JsonValue& token : tokens->array()) input.tokens.push_back(token.string());
    need_one_per_key(*tokens, input.tokens.size(), input);
  }
}

}  // namespace

AttendInput read_attend_input(const std::string& path, const Limits& limits) {
  const JsonValue root = parse_json(read_text_file(path, kMaxAttendFileBytes), path);
  const bool projected = has_any(root, {"x", "w_q", "w_k", "w_v"});
  const bool direct = has_any(root, {"q", "k", "v"});
  has_any(root, {"causal", "key_valid", "scale", "tokens"});
  // Before what is missing is complained of: it may be there under a misspelt name.
  root.refuse_unread_keys();
  if (projected == direct) {
    root.fail(std::string("must hold x with w_q, w_k, w_v, or q, k, v") +
              (direct ? ", not both" : ""));
  }
  AttendInput input;
  if (projected) read_projected(root, limits, input);
  if (direct) read_direct(root, limits, input);
  refuse_beyond_memory(root, input, limits);
  read_options(root, input);
  return input;
}

}  // namespace qkvlab
