#include "config/text_corpus.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "base/text_file.hpp"
#include "base/utf8.hpp"
#include "config/share.hpp"
#include "config/words.hpp"

namespace qkvlab {

namespace {

constexpr const char* kUnknownUnit = "<unk>";

/// A text as numbers: a byte's value, a character's code point, or a word's rank by first
/// appearance. In this order they enter the vocabulary.
struct Units {
  std::vector<int32_t> numbers;
  std::vector<std::string_view> words;  // by rank
  int32_t newline = '\n';
};

Units read_bytes(std::string_view text) {
  Units units;
  units.numbers.reserve(text.size());
  for (const char byte : text) units.numbers.push_back(static_cast<unsigned char>(byte));
  return units;
}

Units read_characters(std::string_view text) {
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) >> 6) == 2; };
  Units units;
  units.numbers.reserve(text.size() - std::count_if(text.begin(), text.end(), continues));
  for (size_t at = 0; at < text.size();) {
    units.numbers.push_back(static_cast<int32_t>(*next_code_point(text, at)));
  }
  return units;
}

Units read_words(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; !next_word(text, at).empty();) ++count;
  Units units;
  units.numbers.reserve(count);
  units.newline = -1;
  std::unordered_map<std::string_view, int32_t> ranks;
  for (size_t at = 0; units.numbers.size() < count;) {
    const std::string_view word = next_word(text, at);
    const auto rank = static_cast<int32_t>(units.words.size());
    const auto [entry, is_new] = ranks.emplace(word, rank);
    if (is_new) units.words.push_back(word);
    if (is_new && word == "\n") units.newline = rank;
    units.numbers.push_back(entry->second);
  }
  return units;
}

Units read_units(std::string_view text, TextUnit unit) {
  switch (unit) {
    case TextUnit::kByte:
      return read_bytes(text);
    case TextUnit::kCharacter:
      return read_characters(text);
    case TextUnit::kWord:
      return read_words(text);
  }
  throw std::logic_error("a unit that is none");
}

std::string unit_name(TextUnit unit) {
  switch (unit) {
    case TextUnit::kByte:
      return "byte";
    case TextUnit::kCharacter:
      return "character";
    case TextUnit::kWord:
      return "word";
  }
  throw std::logic_error("a unit that is none");
}

std::string unit_text(const Units& units, TextUnit unit, int32_t number) {
  if (unit == TextUnit::kWord) return std::string(units.words[number]);
  if (unit == TextUnit::kByte) return std::string(1, static_cast<char>(number));
  std::string text;
  append_code_point(text, static_cast<char32_t>(number));
  return text;
}

/// A unit within an error: an ASCII control character and a lone byte would not be readable.
std::string unit_in_words(const Units& units, TextUnit unit, int32_t number) {
  const std::string text = unit_text(units, unit, number);
  const bool readable = unit == TextUnit::kByte ? number >= 0x20 && number < 0x7F
                                                : static_cast<unsigned char>(text[0]) >= 0x20;
  return readable ? "'" + text + "'" : "number " + std::to_string(number);
}

constexpr int32_t kUnseen = -1;

/// The token of each unit, by its number, kUnseen where the first `training` units lack it.
/// `vocabulary` gets their texts.
std::vector<int32_t> tokens_by_number(const Units& units, TextUnit unit, int64_t training,
                                      std::vector<std::string>& vocabulary) {
  const int32_t largest = *std::max_element(units.numbers.begin(), units.numbers.end());
  std::vector<int32_t> tokens(largest + 1, kUnseen);
  for (int64_t i = 0; i < training; ++i) tokens[units.numbers[i]] = 0;
  for (int32_t number = 0; number <= largest; ++number) {
    if (tokens[number] == kUnseen) continue;
    tokens[number] = static_cast<int32_t>(vocabulary.size());
    vocabulary.push_back(unit_text(units, unit, number));
  }
  return tokens;
}

void refuse_unseen(const std::string& file, const Units& units, TextUnit unit, int64_t training,
                   const std::vector<int32_t>& tokens) {
  const auto begin = units.numbers.begin();
  const auto unseen = std::find_if(begin + training, units.numbers.end(),
                                   [&](int32_t number) { return tokens[number] == kUnseen; });
  if (unseen == units.numbers.end()) return;
  const auto line = 1 + std::count(begin, unseen, units.newline);
  throw UserError(file + ":" + std::to_string(line) + ": the " + unit_name(unit) + " " +
                  unit_in_words(units, unit, *unseen) +
                  " of the validation part does not occur in the training part; "
                  "task.unseen=unknown_token reads it as " +
                  kUnknownUnit);
}

/// A window and the token after it must fit into each part.
void refuse_short_part(const TextTask& task, const std::string& file, const char* part,
                       int64_t tokens) {
  if (task.context < tokens) return;
  const char* hint = task.unit == TextUnit::kWord
                         ? "; words stand between blanks, and a text without them is read by "
                           "task.unit=character"
                         : "";
  throw UserError("task.context: must be less than the number of " + unit_name(task.unit) +
                  "s in the " + part + " part of " + file + " (" + std::to_string(tokens) +
                  "), got " + std::to_string(task.context) + hint);
}

/// A text that was read, before its units become tokens.
struct ReadText {
  TextSummary summary;
  Units units;
  std::vector<int32_t> tokens;  // by a unit's number
  std::vector<std::string> vocabulary;
};

ReadText read_text(const TextTask& task) {
  ReadText read;
  TextSummary& summary = read.summary;
  summary.file = find_input_file(task.file);
  const std::string text = read_text_file(summary.file);
  summary.digest = xxh3_64_hex(text);
  Units& units = read.units;
  units = read_units(text, task.unit);
  summary.tokens = static_cast<int64_t>(units.numbers.size());
  if (summary.tokens == 0) throw UserError(summary.file + ": holds no " + unit_name(task.unit));
  summary.training = count_of_share(1.0 - task.validation, summary.tokens);
  check_context(task, summary);
  std::vector<std::string>& vocabulary = read.vocabulary;
  read.tokens = tokens_by_number(units, task.unit, summary.training, vocabulary);
  if (vocabulary.size() < 2) {
    throw UserError(summary.file + ": the training part is one " + unit_name(task.unit) +
                    " over and over; there must be at least two different ones");
  }
  if (task.unseen == Unseen::kRefuse) {
    refuse_unseen(summary.file, units, task.unit, summary.training, read.tokens);
  } else {
    const auto known = std::find(vocabulary.begin(), vocabulary.end(), kUnknownUnit);
    const auto unknown = static_cast<int32_t>(known - vocabulary.begin());
    if (known == vocabulary.end()) vocabulary.emplace_back(kUnknownUnit);
    std::replace(read.tokens.begin(), read.tokens.end(), kUnseen, unknown);
  }
  summary.vocabulary = static_cast<int64_t>(vocabulary.size());
  // A word is known by its entry of a map.
  constexpr size_t kBytesOfAWord = 64;
  summary.bytes = static_cast<int64_t>(text.size() + units.numbers.size() * sizeof(int32_t) +
                                       units.words.size() * kBytesOfAWord);
  // Words are parts of the text, which is gone.
  units.words.clear();
  return read;
}

}  // namespace

void check_context(const TextTask& task, const TextSummary& text) {
  refuse_short_part(task, text.file, "training", text.training);
  if (text.training < text.tokens) {
    refuse_short_part(task, text.file, "validation", text.tokens - text.training);
  }
}

TextSummary read_text_summary(const TextTask& task) { return read_text(task).summary; }

TextCorpus read_text_corpus(const TextTask& task) {
  ReadText read = read_text(task);
  // In place: a second copy of a large text would double what it takes.
  for (int32_t& number : read.units.numbers) number = read.tokens[number];
  TextCorpus corpus;
  corpus.file = read.summary.file;
  corpus.digest = read.summary.digest;
  corpus.vocabulary = std::move(read.vocabulary);
  corpus.tokens = std::move(read.units.numbers);
  corpus.training = read.summary.training;
  corpus.bytes = read.summary.bytes;
  return corpus;
}

TaskShape text_shape(const TextTask& task, int64_t vocabulary, int64_t bytes) {
  TaskShape shape;
  shape.vocabulary = vocabulary;
  shape.outputs = vocabulary;
  shape.length = task.context;
  shape.file_bytes = bytes;
  return shape;
}

}  // namespace qkvlab
