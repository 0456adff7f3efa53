#include "base/csv.hpp"

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"

namespace qkvlab {

namespace {

/// The separator of a table's first line: the first of the known ones outside quotes.
char separator_of(std::string_view text) {
  bool quoted = false;
  for (const char letter : text) {
    if (letter == '"') quoted = !quoted;
    if (quoted) continue;
    if (letter == ',' || letter == ';' || letter == '\t') return letter;
    if (letter == '\n') break;
  }
  return ',';
}

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& source)
      : text_(text), source_(source), separator_(separator_of(text)) {}

  /// Whether there was another line; its fields are in `fields`, its first line in `line`.
  bool next(std::vector<std::string>& fields, int64_t& line) {
    if (at_ >= text_.size()) return false;
    line = line_;
    fields.clear();
    do {
      fields.emplace_back();
      read_field(fields.back());
    } while (take(separator_));
    take('\r');
    if (at_ < text_.size() && !take('\n')) fail("text after a closing quote");
    ++line_;
    return true;
  }

  [[noreturn]] void fail(const std::string& complaint) const {
    throw UserError(source_ + ":" + std::to_string(line_) + ": " + complaint);
  }

 private:
  bool take(char letter) {
    if (at_ >= text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }

  void read_field(std::string& field) {
    if (take('"')) {
      read_quoted(field);
      return;
    }
    const char ends[] = {separator_, '\n', '\0'};
    const size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    field = text_.substr(at_, end - at_);
    at_ = end;
    if (!field.empty() && field.back() == '\r') field.pop_back();
  }

  void read_quoted(std::string& field) {
    const int64_t first_line = line_;
    while (at_ < text_.size()) {
      const char letter = text_[at_++];
      if (letter == '"' && !take('"')) return;
      if (letter == '\n') ++line_;
      field += letter;
    }
    line_ = first_line;
    fail("a quote is opened and never closed");
  }

  std::string_view text_;
  const std::string& source_;
  char separator_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

}  // namespace

void read_csv(
    std::string_view text, const std::string& source,
    const std::function<void(const std::vector<std::string>& fields, int64_t line)>& visit) {
  CsvReader reader(text, source);
  std::vector<std::string> fields;
  size_t columns = 0;
  for (int64_t line = 0; reader.next(fields, line);) {
    if (fields.size() == 1 && fields.front().empty()) continue;  // an empty line
    if (columns == 0) columns = fields.size();
    if (fields.size() != columns) {
      throw UserError(source + ":" + std::to_string(line) + ": must have " +
                      std::to_string(columns) + " fields as the first line has, got " +
                      std::to_string(fields.size()));
    }
    visit(fields, line);
  }
}

std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"\r\n;\t") == std::string_view::npos) return std::string(field);
  std::string quoted = "\"";
  for (const char letter : field) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

}  // namespace qkvlab
