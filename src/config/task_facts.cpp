#include "config/task_facts.hpp"

#include <optional>
#include <type_traits>

#include "config/coreference_words.hpp"
#include "config/experiment_writer.hpp"
#include "config/held_out.hpp"
#include "config/sentence_file.hpp"

namespace qkvlab {

namespace {

/// Length is refused where its place in a config is known.
Limits any_length() {
  Limits limits;
  limits.tokens_per_sequence = INT64_MAX;
  return limits;
}

/// Of a task that draws its examples.
template <typename Task>
TaskFacts facts_of(const Task& task) {
  TaskFacts facts;
  facts.shape = task_shape(task, any_length());
  facts.train_examples = task.train_examples;
  facts.held_out_examples = task.test_examples;
  return facts;
}

TaskFacts facts_of(const SentencesTask& task) {
  const SentenceFiles files = read_sentence_files(task, any_length());
  TaskFacts facts;
  facts.shape = sentence_shape(files);
  facts.train_examples = static_cast<int64_t>(files.train.tokens.size());
  if (files.test) facts.held_out_examples = static_cast<int64_t>(files.test->tokens.size());
  facts.file_digest = sentences_digest(files);
  return facts;
}

TaskFacts facts_of(const SequenceTask& task) {
  TaskFacts facts = facts_of<SequenceTask>(task);
  if (task.held_out) {
    const HeldOutQuestions questions(task.symbols, task.length, *task.held_out);
    if (questions.listed()) facts.held_out_examples = questions.count(true);
  }
  return facts;
}

TaskFacts facts_of(const ModularAdditionTask& task) {
  const HeldOutQuestions questions = held_out_pairs(task);
  TaskFacts facts;
  facts.shape = task_shape(task, any_length());
  facts.train_examples = questions.count(false);
  facts.held_out_examples = questions.count(true);
  return facts;
}

}  // namespace

TaskFacts TaskReader::facts_of(const TextTask& task) {
  TextTask any_context = task;
  any_context.context = 1;
  const std::string key = task_line(any_context);
  auto known = texts_.find(key);
  if (known == texts_.end()) known = texts_.emplace(key, read_text_summary(task)).first;
  const TextSummary& text = known->second;
  check_context(task, text);
  TaskFacts facts;
  facts.shape = text_shape(task, text.vocabulary, text.bytes);
  facts.train_examples = text.training - task.context;
  const int64_t rest = text.tokens - text.training;
  if (rest > 0) facts.held_out_examples = (rest - 1 + task.context - 1) / task.context;
  facts.file_digest = text.digest;
  return facts;
}

const TaskFacts& TaskReader::facts(const TaskConfig& task) {
  const std::string key = task_line(task);
  const auto known = facts_.find(key);
  if (known != facts_.end()) return known->second;
  TaskFacts facts = std::visit(
      [&](const auto& typed) {
        if constexpr (std::is_same_v<std::decay_t<decltype(typed)>, TextTask>) {
          return facts_of(typed);
        } else {
          return qkvlab::facts_of(typed);
        }
      },
      task);
  return facts_.emplace(key, std::move(facts)).first->second;
}

}  // namespace qkvlab
