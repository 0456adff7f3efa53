#pragma once

#include "config/field_rules.hpp"
#include "config/task_config.hpp"

namespace qkvlab {

// Beyond these, examples no longer fit into memory or ids into tables.
constexpr IntegerRange kLengths = {1, int64_t{1} << 20};
constexpr IntegerRange kExamples = {0, 10'000'000};
constexpr IntegerRange kTestExamples = {1, 10'000'000};
constexpr const char* kTrainExamplesDoc = "training examples; 0: new ones for every batch";
constexpr const char* kTestExamplesDoc = "examples of the test";

template <>
struct ConfigFields<SentencesTask> {
  template <typename C, typename Visitor>
  static void visit(C& task, Visitor& visitor) {
    visitor.field("file", task.file, "on each line a label, a tab, words; see data/README.md",
                  InputFile{});
    visitor.field("test_file", task.test_file,
                  "sentences to test on; their words and labels must be those of `file`",
                  InputFile{});
  }
};

template <>
struct ConfigFields<TextTask> {
  template <typename C, typename Visitor>
  static void visit(C& task, Visitor& visitor) {
    visitor.field("file", task.file, "UTF-8 text", InputFile{/*required=*/true});
    visitor.field(
        "unit", task.unit,
        "what a token is; ids are in the order of code points, byte values, or of words as they "
        "first appear");
    visitor.field("context", task.context, "tokens that a model sees at most", kLengths);
    visitor.field("validation", task.validation,
                  "the last share of the text, which is not trained on", kBetweenZeroAndOne);
    visitor.field("unseen", task.unseen,
                  "what becomes of a unit that only the validation part has");
  }
};

template <>
struct ConfigFields<SequenceTask> {
  template <typename C, typename Visitor>
  static void visit(C& task, Visitor& visitor) {
    visitor.field("rule", task.rule, "what is to be done to the symbols");
    visitor.field(
        "layout", task.layout,
        "where the answer stands: in place of the question, which needs model.causal=false "
        "wherever a token must see later ones; or after it, as a causal model writes it");
    visitor.field("length", task.length, "symbols of a question", kLengths);
    visitor.field("symbols", task.symbols,
                  "how many symbols there are; `subtract` takes each from the last",
                  from_to(2, 1'000'000));
    visitor.field("train_examples", task.train_examples, kTrainExamplesDoc, kExamples);
    visitor.field("test_examples", task.test_examples,
                  "examples of the test; with `held_out` as many as that share holds",
                  kTestExamples);
    visitor.field("held_out", task.held_out, "the share of all questions that only the test asks",
                  kBetweenZeroAndOne);
  }
};

template <>
struct ConfigFields<RecallTask> {
  template <typename C, typename Visitor>
  static void visit(C& task, Visitor& visitor) {
    visitor.field("vocabulary", task.vocabulary,
                  "even; half keys (0 is the filler), half values; more than twice `pairs`",
                  from_to(4, 1 << 20));
    visitor.field("length", task.length, "even; tokens of a sequence, at least four per pair",
                  from_to(4, 1 << 20));
    visitor.field("pairs", task.pairs, "keys with their values, each asked for once",
                  from_to(1, 1 << 18));
    visitor.field("power", task.power, "exponent of the power law of the gaps before queries",
                  kPositive);
    visitor.field("train_examples", task.train_examples, kTrainExamplesDoc, kExamples);
    visitor.field("test_examples", task.test_examples, kTestExamplesDoc, kTestExamples);
  }
};

template <>
struct ConfigFields<InductionTask> {
  template <typename C, typename Visitor>
  static void visit(C& task, Visitor& visitor) {
    visitor.field("vocabulary", task.vocabulary, "how many tokens there are",
                  from_to(3, 1'000'000));
    visitor.field("length", task.length, "tokens of a sequence", from_to(3, 1 << 20));
    visitor.field("train_examples", task.train_examples, kTrainExamplesDoc, kExamples);
    visitor.field("test_examples", task.test_examples, kTestExamplesDoc, kTestExamples);
  }
};

template <>
struct ConfigFields<MajorityTask> {
  template <typename C, typename Visitor>
  static void visit(C& task, Visitor& visitor) {
    visitor.field("symbols", task.symbols, "how many symbols there are, at most `length`",
                  from_to(2, 1'000'000));
    visitor.field("length", task.length, "symbols of a sequence", from_to(2, 1 << 20));
    visitor.field("train_examples", task.train_examples, kTrainExamplesDoc, kExamples);
    visitor.field("test_examples", task.test_examples, kTestExamplesDoc, kTestExamples);
  }
};

template <>
struct ConfigFields<ModularAdditionTask> {
  template <typename C, typename Visitor>
  static void visit(C& task, Visitor& visitor) {
    visitor.field("modulus", task.modulus, "p of (a + b) mod p", from_to(2, 1024));
    visitor.field("held_out", task.held_out, "the share of all pairs that only the test asks",
                  kBetweenZeroAndOne);
    visitor.field("pairs", task.pairs,
                  "what is held out: pairs whatever their order; or ordered ones, as studies of "
                  "grokking do, where training shows most of what is tested with a and b swapped");
  }
};

template <>
struct ConfigFields<CoreferenceTask> {
  template <typename C, typename Visitor>
  static void visit(C& task, Visitor& visitor) {
    visitor.field("language", task.language, "of the sentences");
    visitor.field("train_examples", task.train_examples, kTrainExamplesDoc, kExamples);
    visitor.field("test_examples", task.test_examples, kTestExamplesDoc, kTestExamples);
  }
};

}  // namespace qkvlab
