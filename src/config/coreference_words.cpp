#include "config/coreference_words.hpp"

#include <algorithm>

#include "config/words.hpp"

namespace qkvlab {

namespace {

/// The same with its words in text; A and B are the nouns, P is the pronoun.
struct Texts {
  std::array<const char*, kNounKinds> nouns;
  std::array<const char*, kNounKinds> pronouns;
  std::vector<const char*> relations;
  std::vector<const char*> traits;
  std::vector<const char*> asides;
  const char* comma;
  const char* stop;
  const char* question;
};

Texts chinese() {
  return {
      {"国王 爸爸 爷爷 哥哥 叔叔 男孩", "王后 妈妈 奶奶 姐姐 阿姨 女孩",
       "苹果 桌子 机器人 石头 书包 雨伞"},
      {"他", "她", "它"},
      {"今天 A 就 在 B 旁边", "今天 A 就 在 B 后面", "今天 A 就 在 B 前面", "今天 A 就 在 B 对面"},
      {"P 很 有名", "P 很 干净", "P 很 安静", "P 很 好看"},
      {"外面 刮 风", "山上 下 雪", "远处 打 雷", "天上 有 云", "院里 开 花"},
      "，",
      "。",
      "那 是 ?",
  };
}

Texts english() {
  return {
      {"king father uncle brother actor boy", "queen mother aunt sister actress girl",
       "apple table robot stone bag umbrella"},
      {"he", "she", "it"},
      {"the A is near the B", "the A is behind the B", "the A is beside the B",
       "the A is facing the B"},
      {"P is famous", "P is clean", "P is quiet", "P is small"},
      {"the wind blows", "the snow falls", "the river shines", "the clouds drift",
       "the flowers bloom"},
      ",",
      ".",
      "that is ?",
  };
}

/// Gives ids to words in the order of their first appearance.
class Vocabulary {
 public:
  explicit Vocabulary(std::vector<std::string>& words) : words_(words) {}

  int64_t id(const std::string& word) {
    const auto known = std::find(words_.begin(), words_.end(), word);
    const auto id = static_cast<int64_t>(known - words_.begin());
    if (known == words_.end()) words_.push_back(word);
    return id;
  }

  Phrase phrase(const char* text) {
    Phrase phrase;
    for (const std::string& word : split_words(text)) {
      phrase.push_back(word == "A"   ? kFirstNoun
                       : word == "B" ? kSecondNoun
                       : word == "P" ? kPronoun
                                     : id(word));
    }
    return phrase;
  }

  std::vector<Phrase> phrases(const std::vector<const char*>& texts) {
    std::vector<Phrase> phrases;
    for (const char* text : texts) phrases.push_back(phrase(text));
    return phrases;
  }

 private:
  std::vector<std::string>& words_;
};

CoreferenceWords words_of(const Texts& texts, Vocabulary vocabulary) {
  CoreferenceWords words;
  for (size_t kind = 0; kind < kNounKinds; ++kind) {
    words.nouns[kind] = vocabulary.phrase(texts.nouns[kind]);
    words.pronouns[kind] = vocabulary.id(texts.pronouns[kind]);
  }
  words.relations = vocabulary.phrases(texts.relations);
  words.traits = vocabulary.phrases(texts.traits);
  words.asides = vocabulary.phrases(texts.asides);
  words.comma = vocabulary.id(texts.comma);
  words.stop = vocabulary.id(texts.stop);
  words.question = vocabulary.phrase(texts.question);
  return words;
}

}  // namespace

CoreferenceLexicon coreference_lexicon(CoreferenceLanguage language) {
  CoreferenceLexicon lexicon;
  const Vocabulary vocabulary(lexicon.vocabulary);
  if (language != CoreferenceLanguage::kEnglish) {
    lexicon.languages.push_back(words_of(chinese(), vocabulary));
  }
  if (language != CoreferenceLanguage::kChinese) {
    lexicon.languages.push_back(words_of(english(), vocabulary));
  }
  return lexicon;
}

int64_t coreference_length(const CoreferenceLexicon& lexicon) {
  const CoreferenceWords& words = lexicon.languages.front();
  const size_t aside = words.asides.front().size() + 1;  // with its comma
  const size_t statements = words.relations.front().size() + words.traits.front().size();
  const size_t stops = 2;
  return static_cast<int64_t>(statements + stops + kAsides * aside + words.question.size());
}

}  // namespace qkvlab
