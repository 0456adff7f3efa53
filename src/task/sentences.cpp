#include "task/sentences.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "task/factories.hpp"

namespace qkvlab {

namespace {

class SentencesExamples : public Task {
 public:
  explicit SentencesExamples(SentenceFiles files)
      : Task(sentence_shape(files)), files_(std::move(files)) {}

  int64_t examples(Split split) const override {
    if (split == Split::kHeldOut && !files_.test) return 0;
    return static_cast<int64_t>(sentences(split).tokens.size());
  }

  Sampling sampling() const override { return Sampling::kShuffled; }

  Batch batch(Split split, at::ArrayRef<int64_t> numbers) const override {
    return sentence_batch(sentences(split), numbers);
  }

  bool has_unequal_lengths() const override {
    const auto& all = files_.train.tokens;
    return std::any_of(all.begin(), all.end(), [this](const std::vector<int64_t>& sentence) {
      return static_cast<int64_t>(sentence.size()) != shape().length;
    });
  }

  std::string token_text(int64_t token) const override { return files_.train.vocabulary[token]; }

  std::string target_text(int64_t target) const override { return files_.train.labels[target]; }

  std::string file_digest() const override { return sentences_digest(files_); }

 private:
  const Sentences& sentences(Split split) const {
    return split == Split::kTrain ? files_.train : files_.test.value();
  }

  SentenceFiles files_;
};

}  // namespace

Batch whole_batch(const Sentences& sentences) {
  std::vector<int64_t> numbers(sentences.tokens.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return sentence_batch(sentences, numbers);
}

Batch single_batch(const Sentences& sentences, int64_t index) {
  return sentence_batch(sentences, {index});
}

Batch sentence_batch(const Sentences& sentences, at::ArrayRef<int64_t> numbers) {
  size_t length = 0;
  for (const int64_t i : numbers) length = std::max(length, sentences.tokens.at(i).size());
  constexpr int64_t kPadding = -1;
  std::vector<int64_t> ids;
  std::vector<int64_t> classes;
  ids.reserve(numbers.size() * length);
  classes.reserve(numbers.size());
  for (const int64_t i : numbers) {
    const std::vector<int64_t>& sentence = sentences.tokens[i];
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    ids.insert(ids.end(), length - sentence.size(), kPadding);
    classes.push_back(sentences.classes[i]);
  }
  const auto count = static_cast<int64_t>(numbers.size());
  const at::Tensor tokens =
      at::tensor(ids, at::kLong).view({count, static_cast<int64_t>(length)});  // [B, T]
  const at::Tensor valid = tokens != kPadding;                                 // [B, T]

  Batch batch;
  batch.input.tokens = tokens.clamp_min(0);
  // Left undefined where nothing is padding: the models then skip the mask.
  if (!valid.all().item<bool>()) batch.input.valid = valid;
  batch.targets = at::tensor(classes, at::kLong);  // [B]
  return batch;
}

std::unique_ptr<Task> new_task(const SentencesTask& config, const RandomSource&,
                               const Limits& limits) {
  return std::make_unique<SentencesExamples>(read_sentence_files(config, limits));
}

}  // namespace qkvlab
