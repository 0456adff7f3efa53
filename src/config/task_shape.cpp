#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "config/coreference_words.hpp"
#include "config/held_out.hpp"
#include "config/sentence_file.hpp"
#include "config/task_config.hpp"
#include "config/text_corpus.hpp"

namespace qkvlab {

namespace {

/// Throws UserError unless `value` lies within [low, high]; `why` follows what is wanted.
void require_within(const char* key, int64_t value, int64_t low, int64_t high,
                    const std::string& why = "") {
  if (value >= low && value <= high) return;
  throw UserError(std::string(key) + ": must be " + integer_wanted(low, high) + why + ", got " +
                  std::to_string(value));
}

TaskShape predicts_tokens(int64_t vocabulary, int64_t length) {
  TaskShape shape;
  shape.vocabulary = vocabulary;
  shape.outputs = vocabulary;
  shape.length = length;
  return shape;
}

TaskShape shape_of(const SentencesTask& task, const Limits& limits) {
  return sentence_shape(read_sentence_files(task, limits));
}

TaskShape shape_of(const TextTask& task, const Limits&) {
  const TextSummary text = read_text_summary(task);
  return text_shape(task, text.vocabulary, text.bytes);
}

TaskShape shape_of(const SequenceTask& task, const Limits&) {
  if (task.held_out) HeldOutQuestions(task.symbols, task.length, *task.held_out);
  const bool in_place = task.layout == SequenceLayout::kInPlace;
  return predicts_tokens(task.symbols, in_place ? task.length : 2 * task.length - 1);
}

TaskShape shape_of(const RecallTask& task, const Limits&) {
  require_within("task.vocabulary", task.vocabulary, 4, INT32_MAX);
  require_within("task.length", task.length, 4, INT32_MAX);
  const int64_t keys = task.vocabulary / 2 - 1;
  require_within("task.pairs", task.pairs, 1, std::min(keys, task.length / 4),
                 " (task.vocabulary has " + std::to_string(keys) +
                     " keys, and a pair and its query take 4 of task.length)");
  return predicts_tokens(task.vocabulary, task.length);
}

TaskShape shape_of(const InductionTask& task, const Limits&) {
  require_within("task.vocabulary", task.vocabulary, 3, INT32_MAX);
  require_within("task.length", task.length, 3, INT32_MAX);
  return predicts_tokens(task.vocabulary, task.length);
}

TaskShape shape_of(const MajorityTask& task, const Limits&) {
  require_within("task.length", task.length, 2, INT32_MAX);
  require_within("task.symbols", task.symbols, 2, task.length,
                 " (task.length), since more would seldom occur twice");
  TaskShape shape = predicts_tokens(task.symbols, task.length);
  shape.per_token = false;
  return shape;
}

TaskShape shape_of(const ModularAdditionTask& task, const Limits&) {
  require_within("task.modulus", task.modulus, 2, 1024);
  held_out_pairs(task);                   // throws
  constexpr int64_t kQuestionTokens = 3;  // a b =
  return predicts_tokens(task.modulus + 1, kQuestionTokens);
}

TaskShape shape_of(const CoreferenceTask& task, const Limits&) {
  const CoreferenceLexicon lexicon = coreference_lexicon(task.language);
  return predicts_tokens(static_cast<int64_t>(lexicon.vocabulary.size()),
                         coreference_length(lexicon));
}

}  // namespace

TaskShape task_shape(const TaskConfig& task, const Limits& limits) {
  const TaskShape shape =
      std::visit([&](const auto& config) { return shape_of(config, limits); }, task);
  refuse_beyond(limits, shape);
  return shape;
}

void refuse_beyond(const Limits& limits, const TaskShape& shape) {
  if (shape.length <= limits.tokens_per_sequence) return;
  throw UserError("task: its sequences have " + std::to_string(shape.length) +
                  " tokens, allowed are at most limits.tokens_per_sequence (" +
                  std::to_string(limits.tokens_per_sequence) + ")");
}

}  // namespace qkvlab
