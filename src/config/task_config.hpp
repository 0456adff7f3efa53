#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "config/limits.hpp"

namespace qkvlab {

/// What is learned. One struct per task; `kKind` is what a config's `task.kind` says. The files in
/// task/ say, with an example each, what a task asks of attention.

/// Labelled sentences of words.
struct SentencesTask {
  static constexpr const char* kKind = "sentences";
  std::string file = "data/sentiment8.tsv";
  std::optional<std::string> test_file;  // words and labels must be those of `file`
};

enum class TextUnit { kCharacter, kByte, kWord };
enum class Unseen { kRefuse, kUnknownToken };

/// The next token of a text.
struct TextTask {
  static constexpr const char* kKind = "text";
  std::string file;
  TextUnit unit = TextUnit::kCharacter;
  int64_t context = 64;             // tokens that a model sees at most
  double validation = 0.1;          // the last share of the text
  Unseen unseen = Unseen::kRefuse;  // what happens to a unit that only the validation part has
};

enum class SequenceRule { kCopy, kReverse, kSort, kSwapHalves, kSubtract };
/// Where the answer stands: at the places of the question, as an encoder gives it, or after the
/// question, as a causal model writes it.
enum class SequenceLayout { kInPlace, kContinued };

/// A rule applied to random symbols.
struct SequenceTask {
  static constexpr const char* kKind = "sequence";
  SequenceRule rule = SequenceRule::kReverse;
  SequenceLayout layout = SequenceLayout::kInPlace;
  int64_t length = 16;             // symbols of a question
  int64_t symbols = 10;            // 0 to symbols - 1; kSubtract takes each from symbols - 1
  int64_t train_examples = 0;      // 0: new ones for every batch
  int64_t test_examples = 2000;    // where `held_out` is set: as many as that share holds
  std::optional<double> held_out;  // the share of all questions that only the test asks
};

/// Multi-query associative recall (Arora et al. 2023, "Zoology").
struct RecallTask {
  static constexpr const char* kKind = "recall";
  int64_t vocabulary = 8192;  // half keys (0 is the filler), half values
  int64_t length = 64;
  int64_t pairs = 4;
  double power = 0.01;  // exponent of the power law of the gaps before queries
  int64_t train_examples = 0;
  int64_t test_examples = 3000;
};

/// Which token followed this one before?
struct InductionTask {
  static constexpr const char* kKind = "induction";
  int64_t vocabulary = 32;
  int64_t length = 32;
  int64_t train_examples = 0;
  int64_t test_examples = 2000;
};

/// Which symbol occurs most often?
struct MajorityTask {
  static constexpr const char* kKind = "majority";
  int64_t symbols = 4;
  int64_t length = 15;
  int64_t train_examples = 0;
  int64_t test_examples = 2000;
};

/// Whether (a, b) and (b, a), which have one answer, may be on both sides of what is held out.
enum class PairSplit { kUnordered, kOrdered };

/// (a + b) mod p.
struct ModularAdditionTask {
  static constexpr const char* kKind = "modular_addition";
  int64_t modulus = 31;
  double held_out = 0.3;  // the share of all pairs that only the test asks
  PairSplit pairs = PairSplit::kUnordered;
};

enum class CoreferenceLanguage { kChinese, kEnglish, kBoth };

/// Which noun does the pronoun mean?
struct CoreferenceTask {
  static constexpr const char* kKind = "coreference";
  CoreferenceLanguage language = CoreferenceLanguage::kBoth;
  int64_t train_examples = 0;
  int64_t test_examples = 2000;
};

/// The registry of tasks.
using TaskConfig = std::variant<SentencesTask, TextTask, SequenceTask, RecallTask, InductionTask,
                                MajorityTask, ModularAdditionTask, CoreferenceTask>;

/// Whether a task draws its examples from a run's seed; the others read them from a file.
inline bool examples_depend_on_seed(const TaskConfig& task) {
  return !std::holds_alternative<SentencesTask>(task) && !std::holds_alternative<TextTask>(task);
}

/// What a model must fit.
struct TaskShape {
  int64_t vocabulary = 0;  // V; token ids are 0 to V - 1
  int64_t outputs = 0;     // K logits: V where tokens are predicted, else classes
  int64_t length = 0;      // T, tokens of the longest sequence that a model is given
  bool per_token = true;   // targets [B, T]; false: one class per sequence, targets [B]
  int64_t file_bytes = 0;  // that its files take at most, while they are read
};

/// The shape of a task; reads its file where it has one, and refuses (UserError) what the task
/// itself would refuse.
TaskShape task_shape(const TaskConfig& task, const Limits& limits = {});

/// Throws UserError where the sequences are longer than `limits` allow.
void refuse_beyond(const Limits& limits, const TaskShape& shape);

}  // namespace qkvlab
