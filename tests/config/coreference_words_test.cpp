#include "config/coreference_words.hpp"

#include <gtest/gtest.h>

#include <set>

namespace qkvlab {
namespace {

const CoreferenceLexicon& both() {
  static const CoreferenceLexicon lexicon = coreference_lexicon(CoreferenceLanguage::kBoth);
  return lexicon;
}

void expect_length(const std::vector<Phrase>& phrases, size_t length) {
  for (const Phrase& phrase : phrases) EXPECT_EQ(phrase.size(), length);
}

TEST(CoreferenceWords, PhrasesOfOneKindAreEquallyLongInAllLanguages) {
  for (const CoreferenceWords& words : both().languages) {
    expect_length(words.relations, 6);
    expect_length(words.traits, 3);
    expect_length(words.asides, 3);
    EXPECT_EQ(words.question.size(), 3u);
  }
  // Relation, trait, three asides with their commas, two stops, the question.
  EXPECT_EQ(coreference_length(both()), 6 + 3 + 3 * 4 + 2 + 3);
}

TEST(CoreferenceWords, QuestionsEndInTheSameToken) {
  EXPECT_EQ(both().languages[0].question.back(), both().languages[1].question.back());
}

TEST(CoreferenceWords, NoNounAndNoPronounIsAnythingElse) {
  std::multiset<int64_t> seen;
  std::set<int64_t> others;
  for (const CoreferenceWords& words : both().languages) {
    for (int64_t kind = 0; kind < kNounKinds; ++kind) {
      EXPECT_EQ(words.nouns[kind].size(), 6u);
      seen.insert(words.nouns[kind].begin(), words.nouns[kind].end());
      seen.insert(words.pronouns[kind]);
    }
    for (const auto* phrases : {&words.relations, &words.traits, &words.asides}) {
      for (const Phrase& phrase : *phrases) others.insert(phrase.begin(), phrase.end());
    }
    others.insert(words.question.begin(), words.question.end());
  }
  EXPECT_EQ(std::set<int64_t>(seen.begin(), seen.end()).size(), seen.size())
      << "one is twice there";
  for (const int64_t token : seen) EXPECT_EQ(others.count(token), 0u) << both().vocabulary[token];
}

TEST(CoreferenceWords, ALanguageHasItsOwnWordsAlone) {
  const auto chinese = coreference_lexicon(CoreferenceLanguage::kChinese);
  const auto english = coreference_lexicon(CoreferenceLanguage::kEnglish);
  EXPECT_EQ(chinese.languages.size(), 1u);
  // Both share the question mark alone.
  EXPECT_EQ(chinese.vocabulary.size() + english.vocabulary.size(), both().vocabulary.size() + 1);
}

}  // namespace
}  // namespace qkvlab
