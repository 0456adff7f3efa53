#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/task_config.hpp"

namespace qkvlab {

/// Words as token ids, with kFirstNoun, kSecondNoun and kPronoun where a sentence fills them in.
using Phrase = std::vector<int64_t>;
constexpr int64_t kFirstNoun = -1;
constexpr int64_t kSecondNoun = -2;
constexpr int64_t kPronoun = -3;

/// Kinds of nouns that a pronoun tells apart: 他 她 它, he she it.
constexpr int64_t kNounKinds = 3;

/// What the sentences of one language are made of. The phrases of one kind have the same number of
/// tokens in all languages, so that a sentence's length says nothing about it.
struct CoreferenceWords {
  std::array<std::vector<int64_t>, kNounKinds> nouns;  // as many of each kind
  std::array<int64_t, kNounKinds> pronouns{};
  std::vector<Phrase> relations;  // "the A is near the B"
  std::vector<Phrase> traits;     // "P is famous"
  std::vector<Phrase> asides;     // "the wind blows"
  int64_t comma = 0;
  int64_t stop = 0;
  Phrase question;  // "that is ?"; ends in the same token in all languages
};

struct CoreferenceLexicon {
  std::vector<std::string> vocabulary;      // token id -> word
  std::vector<CoreferenceWords> languages;  // one or two
};

CoreferenceLexicon coreference_lexicon(CoreferenceLanguage language);

/// Asides in each sentence; they move its parts about.
constexpr int64_t kAsides = 3;

/// Tokens of every sentence.
int64_t coreference_length(const CoreferenceLexicon& lexicon);

}  // namespace qkvlab
