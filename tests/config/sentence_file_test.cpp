#include "config/sentence_file.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

using SentenceIds = std::vector<std::vector<int64_t>>;

class SentenceFileTest : public testing::Test {
 protected:
  Sentences read(const std::string& text, const Limits& limits = {}) {
    return read_sentences(folder_.write("s.tsv", text), limits);
  }
  std::string complaint(const std::string& text, const Limits& limits = {}) {
    const std::string message = user_error([&] { read(text, limits); });
    return message.substr(message.find("s.tsv"));
  }
  SentenceFiles read_both(const std::string& train, const std::string& test) {
    SentencesTask task;
    task.file = folder_.write("train.tsv", train);
    task.test_file = folder_.write("test.tsv", test);
    return read_sentence_files(task);
  }

  TemporaryFolder folder_;
};

TEST_F(SentenceFileTest, WordsGetIdsInTheOrderOfTheirFirstAppearance) {
  const Sentences sentences = read("1\t我 喜欢 机器人\n0\t我 讨厌 故障\n");
  EXPECT_EQ(sentences.vocabulary,
            (std::vector<std::string>{"<unk>", "我", "喜欢", "机器人", "讨厌", "故障"}));
  EXPECT_EQ(sentences.tokens, (SentenceIds{{1, 2, 3}, {1, 4, 5}}));
  EXPECT_EQ(sentences.longest, 3);
  EXPECT_EQ(sentences.digest, xxh3_64_hex("1\t我 喜欢 机器人\n0\t我 讨厌 故障\n"));
}

TEST_F(SentenceFileTest, IntegerLabelsAreOrderedByNumberOthersByAppearance) {
  EXPECT_EQ(read("10\ta\n2\tb\n10\tc\n").labels, (std::vector<std::string>{"2", "10"}));
  EXPECT_EQ(read("10\ta\n2\tb\n10\tc\n").classes, (std::vector<int64_t>{1, 0, 1}));
  EXPECT_EQ(read("positive\ta\n2\tb\n").classes, (std::vector<int64_t>{0, 1}));
}

TEST_F(SentenceFileTest, EmptyLinesWindowsLineEndsAndWideBlanksAreUnderstood) {
  const Sentences sentences = read(
      "\r\n 1 \ta  b\r\n\n   \n0\tb\xE3\x80\x80"
      "a\tc");
  EXPECT_EQ(sentences.tokens, (SentenceIds{{1, 2}, {2, 1, 3}}));
  EXPECT_EQ(sentences.classes, (std::vector<int64_t>{1, 0}));
}

TEST_F(SentenceFileTest, MistakesAreNamedWithTheirLine) {
  const std::string form = "must be a label, a tab, and words separated by blanks";
  EXPECT_EQ(complaint("1\ta\n0 b\n"), "s.tsv:2: " + form);
  EXPECT_EQ(complaint("1\ta\n\tb\n"), "s.tsv:2: " + form);
  EXPECT_EQ(complaint("1\ta\nnot good\tb\n"), "s.tsv:2: a label is one word, got 'not good'");
  EXPECT_EQ(complaint("1\ta\n0\t \n"), "s.tsv:2: has a label but no words");
  EXPECT_EQ(complaint("\n\n"), "s.tsv: holds no sentence");
  EXPECT_EQ(complaint("1\ta\n1\tb\n"),
            "s.tsv: every label is '1'; there must be at least two different ones");
  Limits limits;
  limits.tokens_per_sequence = 2;
  EXPECT_EQ(complaint("1\ta b\n0\ta b c\n", limits),
            "s.tsv:2: has 3 tokens, allowed are at most 2");
}

TEST_F(SentenceFileTest, ATestFileHasTheTrainingFilesIdsAndClasses) {
  const SentenceFiles files = read_both("no\ta b\nyes\tc\n", "yes\tc new a <unk>\nyes\tb\n");
  ASSERT_TRUE(files.test);
  EXPECT_EQ(files.test->tokens, (SentenceIds{{3, 0, 1, 0}, {2}}));
  EXPECT_EQ(files.test->classes, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(files.test->vocabulary, files.train.vocabulary);
}

TEST_F(SentenceFileTest, ATestFilesForeignLabelIsNamed) {
  const std::string message =
      user_error([&] { read_both("negative\ta\npositive\tb\n", "\npositve\ta\n"); });
  EXPECT_EQ(message.substr(message.find("test.tsv")),
            "test.tsv:2: unknown label 'positve'; allowed: negative or positive; did you mean "
            "'positive'?");
}

TEST_F(SentenceFileTest, TheShapeCoversBothFiles) {
  const TaskShape shape = sentence_shape(read_both("0\ta b\n1\tc\n2\ta\n", "0\ta b c d\n"));
  EXPECT_EQ(shape.vocabulary, 4);
  EXPECT_EQ(shape.outputs, 3);
  EXPECT_EQ(shape.length, 4);
  EXPECT_FALSE(shape.per_token);
}

}  // namespace
}  // namespace qkvlab
