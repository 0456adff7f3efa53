#include <ATen/ATen.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "config/text_corpus.hpp"
#include "layers/loss.hpp"
#include "task/factories.hpp"

namespace qkvlab {

namespace {

class TextWindows : public Task {
 public:
  TextWindows(TextCorpus corpus, const TaskShape& shape)
      : Task(shape), corpus_(std::move(corpus)) {}

  int64_t examples(Split split) const override {
    const int64_t context = shape().length;
    const int64_t tokens = end(split) - begin(split);
    if (split == Split::kTrain) return tokens - context;
    return tokens == 0 ? 0 : (tokens - 1 + context - 1) / context;
  }

  Sampling sampling() const override { return Sampling::kAnywhere; }

  Batch batch(Split split, at::ArrayRef<int64_t> numbers) const override {
    const auto count = static_cast<int64_t>(numbers.size());
    const int64_t context = shape().length;
    Batch batch;
    batch.input.tokens = at::zeros({count, context}, at::kLong);           // [B, T]
    batch.targets = at::full({count, context}, kUnsupervised, at::kLong);  // [B, T]
    auto* tokens = batch.input.tokens.data_ptr<int64_t>();
    auto* targets = batch.targets.data_ptr<int64_t>();
    bool padded = false;
    for (const int64_t number : numbers) {
      require(number >= 0 && number < examples(split), "no window has this number");
      const int64_t first = begin(split) + number * (split == Split::kTrain ? 1 : context);
      const int64_t length = std::min(context, end(split) - 1 - first);
      const auto source = corpus_.tokens.begin() + first;
      std::copy(source, source + length, tokens);
      std::copy(source + 1, source + 1 + length, targets);
      padded = padded || length < context;
      tokens += context;
      targets += context;
    }
    if (padded) batch.input.valid = batch.targets != kUnsupervised;
    return batch;
  }

  std::string split_name(Split split) const override {
    return split == Split::kTrain ? "train" : "validation";
  }

  /// A byte that is no character by itself reads "<0xE5>".
  std::string token_text(int64_t token) const override {
    const std::string& unit = corpus_.vocabulary[token];
    if (!first_invalid_utf8(unit)) return unit;
    constexpr const char* kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(unit.front());
    return std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">";
  }

  std::string file_digest() const override { return corpus_.digest; }

 private:
  int64_t begin(Split split) const { return split == Split::kTrain ? 0 : corpus_.training; }
  int64_t end(Split split) const {
    return split == Split::kTrain ? corpus_.training : static_cast<int64_t>(corpus_.tokens.size());
  }

  TextCorpus corpus_;
};

}  // namespace

std::unique_ptr<Task> new_task(const TextTask& config, const RandomSource&, const Limits& limits) {
  TextCorpus corpus = read_text_corpus(config);
  const TaskShape shape =
      text_shape(config, static_cast<int64_t>(corpus.vocabulary.size()), corpus.bytes);
  refuse_beyond(limits, shape);
  return std::make_unique<TextWindows>(std::move(corpus), shape);
}

}  // namespace qkvlab
