#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/limits.hpp"
#include "task/batch.hpp"

namespace qkvlab {

/// Labelled sentences of words: "is this sentence positive?". What it asks of attention: to mix the
/// words of a sentence before they are averaged; a bag of words solves the easy cases.
struct Sentences {
  std::string file;                          // where they were read from
  std::string digest;                        // XXH3-64 of the file's bytes
  std::vector<std::string> vocabulary;       // token id -> word; 0 is "<unk>"
  std::vector<std::string> labels;           // class -> label
  std::vector<std::vector<int64_t>> tokens;  // of each sentence
  std::vector<int64_t> classes;              // of each sentence
  int64_t longest = 0;                       // tokens
};

/// The words of one sentence.
std::vector<std::string> words_of(const Sentences& sentences, int64_t index);

/// Reads a TSV file: on each line a label, a tab, and words separated by blanks (U+3000 counts as
/// one). Empty lines are passed over. Words get ids in the order of their first appearance, from 1.
/// Labels become classes 0…K−1: in numerical order where all are integers, else in the order of
/// their first appearance. Throws UserError with file and line.
Sentences read_sentences(const std::string& path, const Limits& limits = {});

/// All sentences as one batch, the shorter ones padded on the right with token 0.
Batch whole_batch(const Sentences& sentences);

/// One sentence, without padding.
Batch single_batch(const Sentences& sentences, int64_t index);

}  // namespace qkvlab
