#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_place.hpp"

namespace qkvlab {

namespace {

constexpr size_t kMaxDepth = 64;
constexpr int kNumberOverflow = 406;  // nlohmann's id of that mistake
constexpr size_t kMaxQuoted = 60;     // bytes of the user's text in a complaint

/// How far the lexer has read. It reads one character past a number, so a newline still belongs to
/// the line that it ends.
struct ReadingPoint {
  std::string_view text;
  size_t at = 0;
  int64_t line = 1;

  void advance() {
    if (at > 0 && text[at - 1] == '\n') ++line;
    ++at;
  }
};

/// The text as nlohmann's lexer wants it; all copies share one reading point.
class TrackedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit TrackedIterator(ReadingPoint* point) : point_(point) {}
  char operator*() const { return point_->text[point_->at]; }
  TrackedIterator& operator++() {
    point_->advance();
    return *this;
  }
  /// Only ever compared with the end of the text.
  bool operator!=(const TrackedIterator&) const { return point_->at < point_->text.size(); }
  bool operator==(const TrackedIterator& other) const { return !(*this != other); }

 private:
  ReadingPoint* point_;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0 ||
         std::string_view("_+-.").find(c) != std::string_view::npos;
}

/// The word at which the lexer gave up, on or just after its last letter, or else that character.
std::string_view word_before(std::string_view text, size_t at) {
  size_t begin = at - 1;
  if (!is_word(text[begin]) && begin > 0 && is_word(text[begin - 1])) --begin;
  size_t end = begin + 1;
  if (is_word(text[begin])) {
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    while (end < text.size() && is_word(text[end])) ++end;
  }
  return text.substr(begin, end - begin);
}

/// What nlohmann says of a mistake, without its prefix and without the "last read" that may quote
/// the whole text: "unexpected ']'; expected ':'".
std::string syntax_complaint(const std::string& message, const ReadingPoint& point) {
  const size_t dash = message.find(" - ");
  std::string detail = dash == std::string::npos ? "" : message.substr(dash + 3);
  if (const size_t quoted = detail.find("; last read: "); quoted != std::string::npos) {
    detail.resize(quoted);
  }
  if (detail == "invalid literal") {
    const std::string_view word = word_before(point.text, point.at);
    if (word.size() <= kMaxQuoted) detail = "unexpected " + std::string(word);
  }
  return detail.empty() ? "not JSON" : "not JSON: " + detail;
}

}  // namespace

/// Builds the tree of one text from the events of nlohmann's parser, whose names and signatures
/// these are.
class JsonBuilder {
 public:
  JsonBuilder(const std::string& source, bool has_lines, const ReadingPoint& point)
      : point_(point) {
    root_place_ = std::make_shared<JsonPlace>();
    root_place_->step = source;
    root_place_->has_lines = has_lines;
  }

  JsonValue take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) {
    if (value <= INT64_MAX) return add(static_cast<int64_t>(value));
    return add(JsonValue::Number{static_cast<double>(value), static_cast<float>(value)});
  }
  bool number_float(double value, const std::string& text) {
    const size_t digit = text.find_first_of("123456789eE");
    if (value == 0 && digit != std::string::npos && text[digit] <= '9') fail_range();
    float narrow = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, narrow);
    // Out of float32's range either way, or a decimal comma from the process's locale.
    if (read.ec != std::errc{} || read.ptr != end) narrow = static_cast<float>(value);
    return add(JsonValue::Number{value, narrow});
  }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(const std::vector<uint8_t>&) { throw std::logic_error("JSON text holds no binary"); }
  bool key(std::string& name) {
    open_.back().key = std::move(name);
    return true;
  }
  bool start_array(size_t) { return open(JsonValue::Array{}); }
  bool end_array() { return close(); }
  bool start_object(size_t) { return open(JsonValue::Members{}); }
  bool end_object() {
    refuse_duplicates();
    return close();
  }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) {
    if (open_.empty() && root_.line_ != 0) fail("must end after one JSON value");
    if (error.id == kNumberOverflow) fail_range();
    fail(syntax_complaint(error.what(), point_));
  }

  [[noreturn]] void fail(const std::string& complaint) const {
    const JsonPlace* place = open_.empty() ? root_place_.get() : open_.back().value.place_.get();
    fail_at(place, path_of(place), point_.line, complaint);
  }

 private:
  [[noreturn]] void fail_range() const {
    const auto place = new_place();
    fail_at(place.get(), path_of(place.get()), point_.line,
            "must be within the range of a double (4.9e-324 to 1.8e308)");
  }

  /// An array or object whose end has not been read.
  struct Open {
    JsonValue value;
    std::string key;  // of the member that is being read
  };

  /// The place of the value that starts here.
  std::shared_ptr<JsonPlace> new_place() const {
    if (open_.empty()) return root_place_;
    const Open& parent = open_.back();
    auto place = std::make_shared<JsonPlace>();
    place->parent = parent.value.place_;
    if (const auto* array = std::get_if<JsonValue::Array>(&parent.value.value_)) {
      place->step = "[" + std::to_string(array->size()) + "]";
    } else {
      place->step = "." + parent.key;
    }
    return place;
  }

  /// Adds a scalar.
  template <typename T>
  bool add(T&& scalar) {
    JsonValue value;
    value.value_ = std::forward<T>(scalar);
    value.line_ = point_.line;
    const auto* array =
        open_.empty() ? nullptr : std::get_if<JsonValue::Array>(&open_.back().value.value_);
    if (array != nullptr) {
      value.place_ = open_.back().value.place_;
      value.index_ = static_cast<int64_t>(array->size());
    } else {
      value.place_ = new_place();
    }
    attach(std::move(value));
    return true;
  }

  template <typename Container>
  bool open(Container&& empty) {
    if (open_.size() == kMaxDepth) {
      fail("must not be nested more than " + std::to_string(kMaxDepth) + " levels deep");
    }
    JsonValue value;
    value.value_ = std::forward<Container>(empty);
    value.line_ = point_.line;
    value.place_ = new_place();
    value.place_->begin = point_.at - 1;
    open_.push_back({std::move(value), {}});
    return true;
  }

  bool close() {
    JsonValue value = std::move(open_.back().value);
    open_.pop_back();
    value.place_->end = point_.at;
    attach(std::move(value));
    return true;
  }

  void attach(JsonValue&& value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (auto* array = std::get_if<JsonValue::Array>(&parent.value.value_)) {
      array->push_back(std::move(value));
    } else {
      std::get<JsonValue::Members>(parent.value.value_)
          .emplace_back(std::move(parent.key), std::move(value));
    }
  }

  void refuse_duplicates() const {
    const auto& members = std::get<JsonValue::Members>(open_.back().value.value_);
    std::vector<const JsonValue::Members::value_type*> sorted;
    sorted.reserve(members.size());
    for (const auto& member : members) sorted.push_back(&member);
    // Members lie side by side, so their addresses tell which comes first in the text.
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
      return a->first != b->first ? a->first < b->first : a < b;
    });
    const auto twice =
        std::adjacent_find(sorted.begin(), sorted.end(),
                           [](const auto* a, const auto* b) { return a->first == b->first; });
    if (twice == sorted.end()) return;
    const auto& [key, first] = **twice;
    (*std::next(twice))
        ->second.fail("duplicate key '" + key + "', already on line " +
                      std::to_string(first.line()));
  }

  const ReadingPoint& point_;
  std::shared_ptr<JsonPlace> root_place_;
  std::vector<Open> open_;  // the outermost first
  JsonValue root_;
};

JsonValue parse_json(std::string_view text, const std::string& source, int64_t first_line) {
  const bool has_lines = first_line != kNoLines;
  ReadingPoint point{text, 0, has_lines ? first_line : 1};
  JsonBuilder builder(source, has_lines, point);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    builder.fail("is empty, must hold one JSON value");
  }
  // The lexer would pass over it in silence.
  if (text.substr(0, 3) == "\xEF\xBB\xBF") builder.fail("must not start with a byte-order mark");
  nlohmann::json::sax_parse(TrackedIterator(&point), TrackedIterator(&point), &builder);
  // The lexer takes a NUL, even as the last byte, for the end of the text.
  if (point.at < text.size() || text.back() == '\0') builder.fail("must not hold a NUL byte");
  return builder.take();
}

}  // namespace qkvlab
