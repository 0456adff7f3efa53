#include "config/sentence_file.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "base/spelling.hpp"
#include "base/text_file.hpp"
#include "config/words.hpp"

namespace qkvlab {

namespace {

constexpr const char* kUnknownWord = "<unk>";

/// A sentence as it stands in the file.
struct Line {
  int64_t number;  // from 1
  std::string_view label;
  std::string_view text;  // its words, of which a list would take many times the room
  int64_t words;
};

/// Calls function(word) for each of a line's words.
template <typename Function>
void for_each_word(const Line& line, const Function& function) {
  size_t at = 0;
  for (std::string_view word = next_word(line.text, at); !word.empty();
       word = next_word(line.text, at)) {
    function(word);
  }
}

[[noreturn]] void fail(const std::string& path, int64_t line, const std::string& complaint) {
  throw UserError(path + ":" + std::to_string(line) + ": " + complaint);
}

Line parse_line(const std::string& path, int64_t number, std::string_view text,
                const Limits& limits) {
  const size_t tab = text.find('\t');
  const std::string_view before = text.substr(0, tab);
  size_t at = 0;
  const std::string_view label = next_word(before, at);
  if (tab == std::string_view::npos || label.empty()) {
    fail(path, number, "must be a label, a tab, and words separated by blanks");
  }
  if (!next_word(before, at).empty()) {
    fail(path, number, "a label is one word, got '" + std::string(before) + "'");
  }
  Line line{number, label, text.substr(tab), 0};
  for_each_word(line, [&](std::string_view) { ++line.words; });
  if (line.words == 0) fail(path, number, "has a label but no words");
  if (line.words > limits.tokens_per_sequence) {
    fail(path, number,
         "has " + std::to_string(line.words) + " tokens, allowed are at most " +
             std::to_string(limits.tokens_per_sequence));
  }
  return line;
}

/// The lines that are not empty; at least one.
std::vector<Line> parse_lines(const std::string& path, std::string_view text,
                              const Limits& limits) {
  std::vector<Line> lines;
  lines.reserve(std::count(text.begin(), text.end(), '\n') + 1);
  int64_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    ++number;
    size_t at = 0;
    if (!next_word(line, at).empty()) lines.push_back(parse_line(path, number, line, limits));
    begin = end + 1;
  }
  if (lines.empty()) throw UserError(path + ": holds no sentence");
  return lines;
}

using Ids = std::unordered_map<std::string_view, int64_t>;  // of names that are kept elsewhere

Ids ids_of(const std::vector<std::string>& names) {
  Ids ids;
  for (const std::string& name : names) ids.emplace(name, static_cast<int64_t>(ids.size()));
  return ids;
}

/// The distinct words of all lines in the order of their first appearance, after "<unk>".
std::vector<std::string> vocabulary_of(const std::vector<Line>& lines) {
  std::vector<std::string> vocabulary = {kUnknownWord};
  Ids seen = {{kUnknownWord, 0}};
  for (const Line& line : lines) {
    for_each_word(line, [&](std::string_view word) {
      if (seen.emplace(word, 0).second) vocabulary.emplace_back(word);
    });
  }
  return vocabulary;
}

/// The distinct labels of all lines in the order of their classes.
std::vector<std::string> labels_of(const std::vector<Line>& lines) {
  std::vector<std::string> labels;
  Ids seen;
  for (const Line& line : lines) {
    if (seen.emplace(line.label, 0).second) labels.emplace_back(line.label);
  }
  if (std::all_of(labels.begin(), labels.end(),
                  [](const std::string& label) { return parse_integer(label).has_value(); })) {
    std::stable_sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
      return *parse_integer(a) < *parse_integer(b);
    });
  }
  return labels;
}

/// Of a list of its own, as the C library hands it out.
int64_t bytes_of(const std::vector<int64_t>& tokens) {
  constexpr size_t kUnit = 16, kOverhead = 8;
  const size_t bytes = tokens.size() * sizeof(int64_t) + kOverhead;
  return static_cast<int64_t>((bytes + kUnit - 1) / kUnit * kUnit);
}

/// Fills in tokens and classes by the vocabulary and labels that are there.
void encode(const std::vector<Line>& lines, Sentences& sentences) {
  sentences.tokens.reserve(lines.size());
  sentences.classes.reserve(lines.size());
  sentences.bytes += static_cast<int64_t>(
      lines.size() * (sizeof(Line) + sizeof(sentences.tokens.front()) + sizeof(int64_t)));
  const Ids word_ids = ids_of(sentences.vocabulary);
  const Ids classes = ids_of(sentences.labels);
  for (const Line& line : lines) {
    const auto known = classes.find(line.label);
    if (known == classes.end()) {
      fail(sentences.file, line.number,
           unknown_name("label", std::string(line.label), sentences.labels));
    }
    sentences.classes.push_back(known->second);
    std::vector<int64_t>& tokens = sentences.tokens.emplace_back();
    tokens.reserve(line.words);
    for_each_word(line, [&](std::string_view word) {
      const auto id = word_ids.find(word);
      tokens.push_back(id == word_ids.end() ? 0 : id->second);
    });
    sentences.bytes += bytes_of(tokens);
    sentences.longest = std::max(sentences.longest, static_cast<int64_t>(tokens.size()));
  }
}

}  // namespace

std::vector<std::string> words_of(const Sentences& sentences, int64_t index) {
  std::vector<std::string> words;
  for (const int64_t token : sentences.tokens[index]) words.push_back(sentences.vocabulary[token]);
  return words;
}

Sentences read_sentences(const std::string& path, const Limits& limits) {
  const std::string text = read_text_file(path);
  const std::vector<Line> lines = parse_lines(path, text, limits);
  Sentences sentences;
  sentences.file = path;
  sentences.digest = xxh3_64_hex(text);
  sentences.bytes = static_cast<int64_t>(text.size());
  sentences.vocabulary = vocabulary_of(lines);
  sentences.labels = labels_of(lines);
  if (sentences.labels.size() < 2) {
    throw UserError(path + ": every label is '" + sentences.labels.front() +
                    "'; there must be at least two different ones");
  }
  encode(lines, sentences);
  return sentences;
}

Sentences read_test_sentences(const std::string& path, const Sentences& known,
                              const Limits& limits) {
  const std::string text = read_text_file(path);
  Sentences sentences;
  sentences.file = path;
  sentences.digest = xxh3_64_hex(text);
  sentences.bytes = static_cast<int64_t>(text.size());
  sentences.vocabulary = known.vocabulary;
  sentences.labels = known.labels;
  encode(parse_lines(path, text, limits), sentences);
  return sentences;
}

SentenceFiles read_sentence_files(const SentencesTask& task, const Limits& limits) {
  SentenceFiles files;
  files.train = read_sentences(find_input_file(task.file), limits);
  if (task.test_file) {
    files.test = read_test_sentences(find_input_file(*task.test_file), files.train, limits);
  }
  return files;
}

std::string sentences_digest(const SentenceFiles& files) {
  if (!files.test) return files.train.digest;
  return xxh3_64_hex(files.train.digest + files.test->digest);
}

TaskShape sentence_shape(const SentenceFiles& files) {
  TaskShape shape;
  shape.vocabulary = static_cast<int64_t>(files.train.vocabulary.size());
  shape.outputs = static_cast<int64_t>(files.train.labels.size());
  shape.length = std::max(files.train.longest, files.test ? files.test->longest : 0);
  shape.per_token = false;
  shape.file_bytes = files.train.bytes + (files.test ? files.test->bytes : 0);
  return shape;
}

}  // namespace qkvlab
