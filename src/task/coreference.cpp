#include <array>

#include "config/coreference_words.hpp"
#include "task/drawn_task.hpp"
#include "task/factories.hpp"

namespace qkvlab {

namespace {

/// Writes a sentence phrase by phrase.
class SentenceWriter {
 public:
  SentenceWriter(int64_t* tokens, int64_t first_noun, int64_t second_noun, int64_t pronoun)
      : next_(tokens), fillings_{first_noun, second_noun, pronoun} {}

  void token(int64_t id) { *next_++ = id; }

  void phrase(const Phrase& phrase) {
    for (const int64_t id : phrase) token(id < 0 ? fillings_[kFirstNoun - id] : id);
  }

 private:
  int64_t* next_;
  std::array<int64_t, 3> fillings_;  // for kFirstNoun, kSecondNoun, kPronoun
};

class CoreferenceExamples : public DrawnTask {
 public:
  CoreferenceExamples(const CoreferenceTask& config, const TaskShape& shape, uint64_t seed)
      : DrawnTask(shape, config.train_examples, config.test_examples, seed),
        lexicon_(coreference_lexicon(config.language)) {}

  std::string token_text(int64_t token) const override { return lexicon_.vocabulary[token]; }

 private:
  template <typename T>
  static const T& choose(Draws& draws, const std::vector<T>& from) {
    return from[draws.below(static_cast<int64_t>(from.size()))];
  }

  void write(Split, int64_t, Draws draws, const Example& example) const override {
    const CoreferenceWords& words = choose(draws, lexicon_.languages);
    const std::vector<int64_t> kinds = draws.distinct(kNounKinds, 2);
    const int64_t first = choose(draws, words.nouns[kinds[0]]);
    const int64_t second = choose(draws, words.nouns[kinds[1]]);
    const bool means_first = draws.below(2) == 0;
    const int64_t pronoun = words.pronouns[means_first ? kinds[0] : kinds[1]];

    // Asides stand before the first statement (place 0), behind it (1), or behind the second (2).
    const auto asides = draws.distinct(static_cast<int64_t>(words.asides.size()), kAsides);
    std::array<int64_t, kAsides> places{};
    for (int64_t& place : places) place = draws.below(3);
    SentenceWriter sentence(example.tokens, first, second, pronoun);
    const auto write_asides = [&](int64_t place) {
      for (size_t i = 0; i < kAsides; ++i) {
        if (places[i] != place) continue;
        if (place > 0) sentence.token(words.comma);
        sentence.phrase(words.asides[asides[i]]);
        if (place == 0) sentence.token(words.comma);
      }
    };
    write_asides(0);
    sentence.phrase(choose(draws, words.relations));
    write_asides(1);
    sentence.token(words.stop);
    sentence.phrase(choose(draws, words.traits));
    write_asides(2);
    sentence.token(words.stop);
    sentence.phrase(words.question);
    example.targets[shape().length - 1] = means_first ? first : second;
  }

  CoreferenceLexicon lexicon_;
};

}  // namespace

std::unique_ptr<Task> new_task(const CoreferenceTask& config, const RandomSource& data,
                               const Limits& limits) {
  return std::make_unique<CoreferenceExamples>(config, task_shape(config, limits),
                                               examples_seed(data));
}

}  // namespace qkvlab
