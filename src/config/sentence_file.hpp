#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/limits.hpp"
#include "config/task_config.hpp"

namespace qkvlab {

/// Labelled sentences of words.
struct Sentences {
  std::string file;                          // where they were read from
  std::string digest;                        // XXH3-64 of the file's bytes
  std::vector<std::string> vocabulary;       // token id -> word; 0 is "<unk>"
  std::vector<std::string> labels;           // class -> label
  std::vector<std::vector<int64_t>> tokens;  // of each sentence
  std::vector<int64_t> classes;              // of each sentence
  int64_t longest = 0;                       // tokens
  int64_t bytes = 0;                         // that it took to read: the text, lines and tokens
};

/// The words of one sentence.
std::vector<std::string> words_of(const Sentences& sentences, int64_t index);

/// Reads a TSV file: on each line a label, a tab, and words separated by blanks (see
/// config/words.hpp). Empty lines are passed over. Words get ids in the order of their first
/// appearance, from 1. Labels become classes 0…K−1: in numerical order where all are integers, else
/// in the order of their first appearance. Throws UserError with file and line.
Sentences read_sentences(const std::string& path, const Limits& limits = {});

/// Reads a file of the same form that tests what was learned from `known`, with its ids and
/// classes: a word that it lacks is "<unk>", a label that it lacks a UserError.
Sentences read_test_sentences(const std::string& path, const Sentences& known,
                              const Limits& limits = {});

/// The files of a task, found by find_input_file.
struct SentenceFiles {
  Sentences train;
  std::optional<Sentences> test;
};
SentenceFiles read_sentence_files(const SentencesTask& task, const Limits& limits = {});

/// The digest of all that was read.
std::string sentences_digest(const SentenceFiles& files);

/// What a model of these sentences must fit: one class per sentence.
TaskShape sentence_shape(const SentenceFiles& files);

}  // namespace qkvlab
