#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "config/task_facts.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

void expect_shape(const TaskConfig& task, int64_t vocabulary, int64_t outputs, int64_t length,
                  bool per_token) {
  const TaskShape shape = task_shape(task);
  EXPECT_EQ(shape.vocabulary, vocabulary);
  EXPECT_EQ(shape.outputs, outputs);
  EXPECT_EQ(shape.length, length);
  EXPECT_EQ(shape.per_token, per_token);
}

std::string complaint(const TaskConfig& task, const Limits& limits = {}) {
  return user_error([&] { task_shape(task, limits); });
}

TEST(TaskShape, SaysWhatAModelMustFit) {
  SequenceTask sequence;
  expect_shape(sequence, 10, 10, 16, true);
  sequence.layout = SequenceLayout::kContinued;
  expect_shape(sequence, 10, 10, 31, true);
  expect_shape(RecallTask{}, 8192, 8192, 64, true);
  expect_shape(InductionTask{}, 32, 32, 32, true);
  expect_shape(MajorityTask{}, 4, 4, 15, false);
  expect_shape(ModularAdditionTask{}, 32, 32, 3, true);
}

TEST(TaskShape, ReadsATasksFile) {
  const TemporaryFolder folder;
  SentencesTask sentences;
  sentences.file = folder.write("s.tsv", "0\ta b\n1\tc\n");
  expect_shape(sentences, 4, 2, 2, false);
  TextTask text;
  text.file = folder.write("t.txt", "abcabcabcabc");
  text.context = 5;
  text.validation = 0;
  expect_shape(text, 3, 3, 5, true);
  text.file = folder.file("missing.txt");
  EXPECT_EQ(complaint(text), text.file + ": no such file");
}

TEST(TaskShape, WhatATaskIsReadFromIsReadOnce) {
  const TemporaryFolder folder;
  TextTask text;
  text.file = folder.write("t.txt", "abcabcabcabc");
  text.context = 2;
  text.validation = 0.25;
  TaskReader reader;
  EXPECT_EQ(reader.facts(text).train_examples, 7);
  EXPECT_EQ(reader.facts(text).held_out_examples, 1);
  std::filesystem::remove(text.file);
  EXPECT_EQ(reader.facts(text).train_examples, 7);
  text.context = 1;
  EXPECT_EQ(reader.facts(text).train_examples, 8) << "of another context, without its file";
  EXPECT_EQ(reader.facts(text).held_out_examples, 2);
  text.context = 3;
  EXPECT_EQ(user_error([&] { reader.facts(text); }),
            "task.context: must be less than the number of characters in the validation part of " +
                text.file + " (3), got 3");
}

TEST(TaskShape, OfATextWithoutBlanksTheUnitIsSaid) {
  const TemporaryFolder folder;
  TextTask text;
  text.file = folder.write("t.txt", "床前明月光疑是地上霜");
  text.unit = TextUnit::kWord;
  const std::string message = complaint(text);
  EXPECT_NE(message.find("task.unit=character"), std::string::npos) << message;
}

TEST(TaskShape, SequencesBeyondTheLimitAreRefused) {
  Limits limits;
  limits.tokens_per_sequence = 30;
  SequenceTask task;
  task.layout = SequenceLayout::kContinued;
  EXPECT_EQ(complaint(task, limits),
            "task: its sequences have 31 tokens, allowed are at most limits.tokens_per_sequence "
            "(30)");
}

TEST(TaskShape, FieldsThatDoNotFitTogetherAreRefused) {
  RecallTask recall;
  recall.vocabulary = 16;
  recall.pairs = 8;
  EXPECT_EQ(complaint(recall),
            "task.pairs: must be an integer from 1 to 7 (task.vocabulary has 7 keys, and a pair "
            "and its query take 4 of task.length), got 8");
  recall.vocabulary = 8192;
  recall.pairs = 17;
  EXPECT_NE(complaint(recall).find("from 1 to 16 "), std::string::npos);
  recall.pairs = 16;
  EXPECT_EQ(task_shape(recall).length, 64);

  InductionTask induction;
  induction.length = 2;
  EXPECT_EQ(complaint(induction), "task.length: must be an integer from 3 to 2147483647, got 2");

  MajorityTask majority;
  majority.symbols = 16;
  EXPECT_EQ(complaint(majority),
            "task.symbols: must be an integer from 2 to 15 (task.length), since more would seldom "
            "occur twice, got 16");

  ModularAdditionTask addition;
  addition.held_out = 0;
  EXPECT_NE(complaint(addition).find("task.held_out: must leave at least one"), std::string::npos);
  SequenceTask sequence;
  sequence.held_out = 1.0;
  EXPECT_NE(complaint(sequence).find("task.held_out"), std::string::npos);
}

}  // namespace
}  // namespace qkvlab
