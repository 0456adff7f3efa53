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

/// A sentence as it stands in the file.
struct Line {
  int64_t number;  // from 1
  std::string label;
  std::vector<std::string> words;
};

[[noreturn]] void fail(const std::string& path, int64_t line, const std::string& complaint) {
  throw UserError(path + ":" + std::to_string(line) + ": " + complaint);
}

Line parse_line(const std::string& path, int64_t number, std::string_view text,
                const Limits& limits) {
  const size_t tab = text.find('\t');
  const std::vector<std::string> label = split_words(text.substr(0, tab));
  if (tab == std::string_view::npos || label.empty()) {
    fail(path, number, "must be a label, a tab, and words separated by blanks");
  }
  if (label.size() > 1) {
    fail(path, number, "a label is one word, got '" + std::string(text.substr(0, tab)) + "'");
  }
  Line line{number, label.front(), split_words(text.substr(tab))};
  if (line.words.empty()) fail(path, number, "has a label but no words");
  if (static_cast<int64_t>(line.words.size()) > limits.tokens_per_sequence) {
    fail(path, number,
         "has " + std::to_string(line.words.size()) + " tokens, allowed are at most " +
             std::to_string(limits.tokens_per_sequence));
  }
  return line;
}

/// The lines that are not empty; at least one.
std::vector<Line> parse_lines(const std::string& path, std::string_view text,
                              const Limits& limits) {
  std::vector<Line> lines;
  int64_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    ++number;
    if (!split_words(line).empty()) lines.push_back(parse_line(path, number, line, limits));
    begin = end + 1;
  }
  if (lines.empty()) throw UserError(path + ": holds no sentence");
  return lines;
}

using Ids = std::unordered_map<std::string, int64_t>;

Ids ids_of(const std::vector<std::string>& names) {
  Ids ids;
  for (const std::string& name : names) ids.emplace(name, static_cast<int64_t>(ids.size()));
  return ids;
}

/// The distinct words of all lines in the order of their first appearance, after "<unk>".
std::vector<std::string> vocabulary_of(const std::vector<Line>& lines) {
  std::vector<std::string> vocabulary = {"<unk>"};
  Ids seen = ids_of(vocabulary);
  for (const Line& line : lines) {
    for (const std::string& word : line.words) {
      if (seen.emplace(word, 0).second) vocabulary.push_back(word);
    }
  }
  return vocabulary;
}

/// The distinct labels of all lines in the order of their classes.
std::vector<std::string> labels_of(const std::vector<Line>& lines) {
  std::vector<std::string> labels;
  Ids seen;
  for (const Line& line : lines) {
    if (seen.emplace(line.label, 0).second) labels.push_back(line.label);
  }
  if (std::all_of(labels.begin(), labels.end(),
                  [](const std::string& label) { return parse_integer(label).has_value(); })) {
    std::stable_sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
      return *parse_integer(a) < *parse_integer(b);
    });
  }
  return labels;
}

/// Fills in tokens and classes by the vocabulary and labels that are there.
void encode(const std::vector<Line>& lines, Sentences& sentences) {
  const Ids word_ids = ids_of(sentences.vocabulary);
  const Ids classes = ids_of(sentences.labels);
  for (const Line& line : lines) {
    const auto known = classes.find(line.label);
    if (known == classes.end()) {
      fail(sentences.file, line.number, unknown_name("label", line.label, sentences.labels));
    }
    sentences.classes.push_back(known->second);
    std::vector<int64_t>& tokens = sentences.tokens.emplace_back();
    for (const std::string& word : line.words) {
      const auto id = word_ids.find(word);
      tokens.push_back(id == word_ids.end() ? 0 : id->second);
    }
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

TaskShape sentence_shape(const SentenceFiles& files) {
  TaskShape shape;
  shape.vocabulary = static_cast<int64_t>(files.train.vocabulary.size());
  shape.outputs = static_cast<int64_t>(files.train.labels.size());
  shape.length = std::max(files.train.longest, files.test ? files.test->longest : 0);
  shape.per_token = false;
  return shape;
}

}  // namespace qkvlab
