#pragma once

#include <map>
#include <string>

#include "config/task_config.hpp"
#include "config/text_corpus.hpp"

namespace qkvlab {

/// What a task is, as its config and its files say.
struct TaskFacts {
  TaskShape shape;
  int64_t train_examples = 0;     // 0: new ones for every batch
  int64_t held_out_examples = 0;  // 0: nothing is held out
  std::string file_digest;        // of what it is read from, part of a run's identity; or empty
};

/// Tells the facts of tasks. What takes time, reading files and listing questions, it does once
/// however many tasks ask for it.
class TaskReader {
 public:
  /// Throws UserError for whatever making the task would refuse, but for its length: that is for
  /// the limits.
  const TaskFacts& facts(const TaskConfig& task);

 private:
  TaskFacts facts_of(const TextTask& task);

  std::map<std::string, TaskFacts> facts_;    // by the task as JSON
  std::map<std::string, TextSummary> texts_;  // by the task as JSON, whatever its context
};

}  // namespace qkvlab
