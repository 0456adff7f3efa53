#include "task/sentences.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

constexpr std::string_view kIdeographicSpace = "\xE3\x80\x80";  // U+3000

/// The words of a text: what stands between blanks.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (size_t at = 0; at < text.size(); ++at) {
    const bool wide = text.substr(at, kIdeographicSpace.size()) == kIdeographicSpace;
    if (wide || text[at] == ' ' || text[at] == '\t') {
      if (wide) at += kIdeographicSpace.size() - 1;
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back().push_back(text[at]);
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Sorts labels by their number where all are integers.
void sort_if_integers(std::vector<std::string>& labels) {
  if (!std::all_of(labels.begin(), labels.end(),
                   [](const std::string& label) { return parse_integer(label).has_value(); })) {
    return;
  }
  std::stable_sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
    return *parse_integer(a) < *parse_integer(b);
  });
}

/// The class of each of `labels`; `names` gets the distinct ones in the order of their classes.
std::vector<int64_t> classes_of(const std::vector<std::string>& labels,
                                std::vector<std::string>& names) {
  std::unordered_map<std::string, int64_t> class_of;
  for (const std::string& label : labels) {
    if (class_of.emplace(label, 0).second) names.push_back(label);
  }
  sort_if_integers(names);
  for (size_t i = 0; i < names.size(); ++i) class_of[names[i]] = static_cast<int64_t>(i);
  std::vector<int64_t> classes;
  for (const std::string& label : labels) classes.push_back(class_of[label]);
  return classes;
}

/// Reads line by line; knows which line it is at.
class SentenceReader {
 public:
  SentenceReader(const std::string& path, const Limits& limits) : limits_(limits) {
    const std::string text = read_text_file(path);
    sentences_.file = path;
    sentences_.digest = xxh3_64_hex(text);
    sentences_.vocabulary = {"<unk>"};
    size_t begin = 0;
    while (begin < text.size()) {
      size_t end = text.find('\n', begin);
      if (end == std::string::npos) end = text.size();
      ++line_;
      read_line(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
  }

  Sentences finish() {
    if (labels_.empty()) throw UserError(sentences_.file + ": holds no sentence");
    sentences_.classes = classes_of(labels_, sentences_.labels);
    if (sentences_.labels.size() < 2) {
      throw UserError(sentences_.file + ": every label is '" + labels_.front() +
                      "'; there must be at least two different ones");
    }
    return std::move(sentences_);
  }

 private:
  [[noreturn]] void fail(const std::string& complaint) const {
    throw UserError(sentences_.file + ":" + std::to_string(line_) + ": " + complaint);
  }

  void read_line(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (split_words(line).empty()) return;
    const size_t tab = line.find('\t');
    const std::vector<std::string> label = split_words(line.substr(0, tab));
    if (tab == std::string_view::npos || label.empty()) {
      fail("must be a label, a tab, and words separated by blanks");
    }
    if (label.size() > 1) {
      fail("a label is one word, got '" + std::string(line.substr(0, tab)) + "'");
    }
    const std::vector<std::string> words = split_words(line.substr(tab));
    if (words.empty()) fail("has a label but no words");
    const auto length = static_cast<int64_t>(words.size());
    if (length > limits_.tokens_per_sequence) {
      fail("has " + std::to_string(length) + " tokens, allowed are at most " +
           std::to_string(limits_.tokens_per_sequence));
    }
    sentences_.longest = std::max(sentences_.longest, length);
    labels_.push_back(label.front());
    sentences_.tokens.emplace_back();
    for (const std::string& word : words) sentences_.tokens.back().push_back(id_of(word));
  }

  int64_t id_of(const std::string& word) {
    const auto next = static_cast<int64_t>(sentences_.vocabulary.size());
    const auto [entry, is_new] = ids_.emplace(word, next);
    if (is_new) sentences_.vocabulary.push_back(word);
    return entry->second;
  }

  const Limits limits_;
  Sentences sentences_;
  std::vector<std::string> labels_;  // of each sentence
  std::unordered_map<std::string, int64_t> ids_{{"<unk>", 0}};
  int64_t line_ = 0;
};

Batch batch_of(const Sentences& sentences, int64_t first, int64_t count) {
  constexpr int64_t kPadding = -1;
  const auto begin = sentences.tokens.begin() + first;
  const auto longest = std::max_element(
      begin, begin + count, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const size_t length = longest->size();
  std::vector<int64_t> ids;
  ids.reserve(count * length);
  for (auto sentence = begin; sentence != begin + count; ++sentence) {
    ids.insert(ids.end(), sentence->begin(), sentence->end());
    ids.insert(ids.end(), length - sentence->size(), kPadding);
  }
  const at::Tensor tokens = at::tensor(ids, at::kLong).view({count, -1});  // [B, T]
  const at::Tensor valid = tokens != kPadding;                             // [B, T]
  const auto classes = sentences.classes.begin() + first;

  Batch batch;
  batch.input.tokens = tokens.clamp_min(0);
  // Left undefined where nothing is padding: the models then skip the mask.
  if (!valid.all().item<bool>()) batch.input.valid = valid;
  batch.targets = at::tensor(std::vector<int64_t>(classes, classes + count), at::kLong);  // [B]
  return batch;
}

}  // namespace

std::vector<std::string> words_of(const Sentences& sentences, int64_t index) {
  std::vector<std::string> words;
  for (const int64_t token : sentences.tokens[index]) words.push_back(sentences.vocabulary[token]);
  return words;
}

Sentences read_sentences(const std::string& path, const Limits& limits) {
  return SentenceReader(path, limits).finish();
}

Batch whole_batch(const Sentences& sentences) {
  return batch_of(sentences, 0, static_cast<int64_t>(sentences.tokens.size()));
}

Batch single_batch(const Sentences& sentences, int64_t index) {
  return batch_of(sentences, index, 1);
}

}  // namespace qkvlab
