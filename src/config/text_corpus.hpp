#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/task_config.hpp"

namespace qkvlab {

/// A text as token ids, the first part to train on and the rest to validate.
///
/// Its units are characters (code points), bytes, or words: what stands between blanks, where a
/// newline is a word of its own (see config/words.hpp). The vocabulary is made of the training
/// part's units: characters by code point, bytes by value, words by first appearance. Under
/// Unseen::kUnknownToken "<unk>" is one of them, the last unless it is a word of the text.
struct TextCorpus {
  std::string file;                     // where it was read from
  std::string digest;                   // XXH3-64 of the file's bytes
  std::vector<std::string> vocabulary;  // token id -> unit
  std::vector<int32_t> tokens;          // 4 bytes each: a text may be some hundred MB
  int64_t training = 0;                 // so many of the tokens are the training part
  int64_t bytes = 0;  // that it took to read: the text, and tokens and words of it
};

/// Reads the file of a task, found by find_input_file; the first floor(n × (1 − validation)) of its
/// n units are the training part. Throws UserError where there is nothing to predict, where a part
/// is no longer than `context`, or where the validation part has a unit that the training part
/// lacks and `unseen` refuses it.
TextCorpus read_text_corpus(const TextTask& task);

/// The numbers of a corpus.
struct TextSummary {
  std::string file;
  std::string digest;
  int64_t vocabulary = 0;  // how many tokens there are
  int64_t tokens = 0;      // how long the text is in them
  int64_t training = 0;
  int64_t bytes = 0;  // as of TextCorpus
};

/// The numbers of the corpus that read_text_corpus reads; throws what that throws.
TextSummary read_text_summary(const TextTask& task);

/// Throws UserError where a part of the text is no longer than `context`.
void check_context(const TextTask& task, const TextSummary& text);

/// What a model of a text with so many different tokens must fit; `bytes` is what it takes to read.
TaskShape text_shape(const TextTask& task, int64_t vocabulary, int64_t bytes);

}  // namespace qkvlab
