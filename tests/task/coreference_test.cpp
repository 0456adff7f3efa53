#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "support/tasks.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kExamples = 6000;

/// What a reader knows: the kind of each noun and of each pronoun.
const std::map<std::string, char>& kinds_of_nouns() {
  static const std::map<std::string, char> kinds = {
      {"国王", 'm'},    {"爸爸", 'm'},    {"爷爷", 'm'},   {"哥哥", 'm'},    {"叔叔", 'm'},
      {"男孩", 'm'},    {"王后", 'f'},    {"妈妈", 'f'},   {"奶奶", 'f'},    {"姐姐", 'f'},
      {"阿姨", 'f'},    {"女孩", 'f'},    {"苹果", 't'},   {"桌子", 't'},    {"机器人", 't'},
      {"石头", 't'},    {"书包", 't'},    {"雨伞", 't'},   {"king", 'm'},    {"father", 'm'},
      {"uncle", 'm'},   {"brother", 'm'}, {"actor", 'm'},  {"boy", 'm'},     {"queen", 'f'},
      {"mother", 'f'},  {"aunt", 'f'},    {"sister", 'f'}, {"actress", 'f'}, {"girl", 'f'},
      {"apple", 't'},   {"table", 't'},   {"robot", 't'},  {"stone", 't'},   {"bag", 't'},
      {"umbrella", 't'}};
  return kinds;
}
const std::map<std::string, char>& kinds_of_pronouns() {
  static const std::map<std::string, char> kinds = {{"他", 'm'}, {"她", 'f'},  {"它", 't'},
                                                    {"he", 'm'}, {"she", 'f'}, {"it", 't'}};
  return kinds;
}

/// An example in words.
struct Sentence {
  std::vector<std::string> words;
  std::string answer;
};

class EveryLanguage : public testing::TestWithParam<CoreferenceLanguage> {
 protected:
  static std::vector<Sentence> sentences() {
    CoreferenceTask config;
    config.language = GetParam();
    const auto task = make_task(config, 0);
    const Batch batch = task->batch(Split::kTrain, first_numbers(kExamples));
    EXPECT_FALSE(batch.input.valid.defined());
    const Rows targets = rows_of(batch.targets);
    std::vector<Sentence> sentences;
    for (const auto& row : rows_of(batch.input.tokens)) {
      Sentence sentence;
      for (const int64_t token : row) sentence.words.push_back(task->token_text(token));
      const auto& asked = targets[sentences.size()];
      EXPECT_EQ(std::count(asked.begin(), asked.end(), kUnsupervised), asked.size() - 1);
      sentence.answer = task->token_text(asked.back());  // fails where it is not the last
      sentences.push_back(sentence);
    }
    return sentences;
  }

  static double answers() { return GetParam() == CoreferenceLanguage::kBoth ? 36 : 18; }
};

/// The places of the words that `kinds` knows.
std::vector<size_t> places(const Sentence& sentence, const std::map<std::string, char>& kinds) {
  std::vector<size_t> places;
  for (size_t i = 0; i < sentence.words.size(); ++i) {
    if (kinds.count(sentence.words[i]) > 0) places.push_back(i);
  }
  return places;
}

TEST_P(EveryLanguage, TheAnswerIsTheOneNounOfThePronounsKind) {
  for (const Sentence& sentence : sentences()) {
    const auto nouns = places(sentence, kinds_of_nouns());
    const auto pronouns = places(sentence, kinds_of_pronouns());
    ASSERT_EQ(nouns.size(), 2u);
    ASSERT_EQ(pronouns.size(), 1u);
    EXPECT_LT(nouns[1], pronouns[0]);
    const char kind = kinds_of_pronouns().at(sentence.words[pronouns[0]]);
    const std::string& first = sentence.words[nouns[0]];
    const std::string& second = sentence.words[nouns[1]];
    ASSERT_NE(kinds_of_nouns().at(first), kinds_of_nouns().at(second));
    EXPECT_EQ(sentence.answer, kinds_of_nouns().at(first) == kind ? first : second);
  }
}

TEST_P(EveryLanguage, TheSupervisedTokenAndItsPlaceSayNothing) {
  std::set<std::string> asked;
  std::set<size_t> lengths;
  std::map<std::string, int> answers_seen;
  for (const Sentence& sentence : sentences()) {
    asked.insert(sentence.words.back());
    lengths.insert(sentence.words.size());
    ++answers_seen[sentence.answer];
  }
  EXPECT_EQ(asked, std::set<std::string>{"?"});
  EXPECT_EQ(lengths.size(), 1u);
  // So the best guess is the most frequent answer; five standard deviations of equal frequencies.
  EXPECT_EQ(static_cast<double>(answers_seen.size()), answers());
  const double expected = kExamples / answers();
  for (const auto& [answer, count] : answers_seen) {
    EXPECT_NEAR(count, expected, 5 * std::sqrt(expected)) << answer;
  }
}

TEST_P(EveryLanguage, NoTokenAloneDecidesAndOtherWordsSayNothing) {
  // The share of right guesses of someone who sees the word at one place and knows all examples.
  const std::vector<Sentence> all = sentences();
  for (size_t place = 0; place < all.front().words.size(); ++place) {
    std::map<std::string, std::map<std::string, int>> seen;  // word -> answer -> count
    for (const Sentence& sentence : all) ++seen[sentence.words[place]][sentence.answer];
    for (const auto& [word, answers_seen] : seen) {
      const auto most =
          std::max_element(answers_seen.begin(), answers_seen.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      double times = 0;
      for (const auto& [answer, count] : answers_seen) times += count;
      const bool is_noun = kinds_of_nouns().count(word) > 0;
      const bool is_pronoun = kinds_of_pronouns().count(word) > 0;
      // A word tells the language at most; a pronoun one of six nouns, a noun itself or another.
      const double share = is_noun ? 1.0 / 2 : is_pronoun ? 1.0 / 6 : 1.0 / 18;
      EXPECT_LT(most->second, times * share + 5 * std::sqrt(times * share)) << word << place;
    }
  }
}

TEST_P(EveryLanguage, TheOrderIsBalancedAndThePlacesVary) {
  int first_is_meant = 0;
  std::map<char, int> kinds;
  std::set<size_t> noun_places;
  std::set<size_t> pronoun_places;
  for (const Sentence& sentence : sentences()) {
    const auto nouns = places(sentence, kinds_of_nouns());
    if (sentence.answer == sentence.words[nouns[0]]) ++first_is_meant;
    ++kinds[kinds_of_nouns().at(sentence.answer)];
    noun_places.insert(nouns[0]);
    pronoun_places.insert(places(sentence, kinds_of_pronouns())[0]);
  }
  EXPECT_NEAR(first_is_meant, kExamples / 2, 194);  // five standard deviations
  for (const auto& [kind, count] : kinds) EXPECT_NEAR(count, kExamples / 3, 183) << kind;
  EXPECT_EQ(noun_places.size(), 4u);
  EXPECT_EQ(pronoun_places.size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(Languages, EveryLanguage,
                         testing::Values(CoreferenceLanguage::kChinese,
                                         CoreferenceLanguage::kEnglish,
                                         CoreferenceLanguage::kBoth));

}  // namespace
}  // namespace qkvlab
