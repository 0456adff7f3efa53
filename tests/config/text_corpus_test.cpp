#include "config/text_corpus.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

using Strings = std::vector<std::string>;
using TextIds = std::vector<int32_t>;

class TextCorpusTest : public testing::Test {
 protected:
  /// Reads `text` with a context of 1 unless `task` says otherwise.
  TextCorpus read(const std::string& text, TextTask task = {}) {
    if (task.context == TextTask{}.context) task.context = 1;
    task.file = folder_.write("t.txt", text);
    return read_text_corpus(task);
  }
  std::string complaint(const std::string& text, const TextTask& task = {}) {
    std::string message = user_error([&] { read(text, task); });
    const size_t path = message.find(folder_.path());
    return path == std::string::npos ? message : message.erase(path, folder_.path().size() + 1);
  }
  static TextTask task_with(TextUnit unit, double validation = 0, Unseen unseen = Unseen::kRefuse) {
    TextTask task;
    task.unit = unit;
    task.validation = validation;
    task.unseen = unseen;
    return task;
  }

  TemporaryFolder folder_;
};

TEST_F(TextCorpusTest, CharactersAreOrderedByCodePoint) {
  const TextCorpus corpus = read("b中a\né中", task_with(TextUnit::kCharacter));
  EXPECT_EQ(corpus.vocabulary, (Strings{"\n", "a", "b", "é", "中"}));
  EXPECT_EQ(corpus.tokens, (TextIds{2, 4, 1, 0, 3, 4}));
  EXPECT_EQ(corpus.training, 6);
  EXPECT_EQ(corpus.digest, xxh3_64_hex("b中a\né中"));
}

TEST_F(TextCorpusTest, BytesAreOrderedByValue) {
  const TextCorpus corpus = read("é a", task_with(TextUnit::kByte));
  EXPECT_EQ(corpus.vocabulary, (Strings{" ", "a", "\xA9", "\xC3"}));
  EXPECT_EQ(corpus.tokens, (TextIds{3, 2, 0, 1}));
}

TEST_F(TextCorpusTest, WordsAreOrderedByFirstAppearanceAndANewlineIsOne) {
  const TextCorpus corpus = read("to be  or\nnot to be\n", task_with(TextUnit::kWord));
  EXPECT_EQ(corpus.vocabulary, (Strings{"to", "be", "or", "\n", "not"}));
  EXPECT_EQ(corpus.tokens, (TextIds{0, 1, 2, 3, 4, 0, 1, 3}));
}

TEST_F(TextCorpusTest, TheTrainingPartIsTheFirstShareOfTheUnits) {
  EXPECT_EQ(read("ababababab中中中", task_with(TextUnit::kCharacter, 0.3, Unseen::kUnknownToken))
                .training,
            9);
  EXPECT_EQ(read("a b\na b\na b", task_with(TextUnit::kWord, 0.25)).training, 6);
  EXPECT_EQ(read("ababababab", task_with(TextUnit::kByte, 0)).training, 10);
}

TEST_F(TextCorpusTest, AUnitThatOnlyTheValidationPartHasIsRefusedWithItsLine) {
  const auto hint = [](const std::string& unit) {
    return "t.txt:2: the " + unit +
           " of the validation part does not occur in the training part; "
           "task.unseen=unknown_token reads it as <unk>";
  };
  EXPECT_EQ(complaint("ab\nab中b\n中", task_with(TextUnit::kCharacter, 0.5)),
            hint("character '中'"));
  EXPECT_EQ(complaint("ab\nab\x01\n", task_with(TextUnit::kByte, 0.5)), hint("byte number 1"));
  EXPECT_EQ(complaint("a b\na new b", task_with(TextUnit::kWord, 0.5)), hint("word 'new'"));
}

TEST_F(TextCorpusTest, OrItBecomesOneMoreToken) {
  const TextCorpus corpus =
      read("ababa中b文", task_with(TextUnit::kCharacter, 0.5, Unseen::kUnknownToken));
  EXPECT_EQ(corpus.vocabulary, (Strings{"a", "b", "<unk>"}));
  EXPECT_EQ(corpus.tokens, (TextIds{0, 1, 0, 1, 0, 2, 1, 2}));
}

TEST_F(TextCorpusTest, ATextsOwnUnknownWordIsThatToken) {
  const TextCorpus corpus =
      read("a <unk> b a new b", task_with(TextUnit::kWord, 0.5, Unseen::kUnknownToken));
  EXPECT_EQ(corpus.vocabulary, (Strings{"a", "<unk>", "b"}));
  EXPECT_EQ(corpus.tokens, (TextIds{0, 1, 2, 0, 1, 2}));
}

TEST_F(TextCorpusTest, ATextWithNothingToPredictIsRefused) {
  EXPECT_EQ(complaint(""), "t.txt: holds no character");
  EXPECT_EQ(complaint(" \r\t ", task_with(TextUnit::kWord)), "t.txt: holds no word");
  EXPECT_EQ(complaint("aaaaaaaaaaaaaaaaaaaaa"),
            "t.txt: the training part is one character over and over; there must be at least two "
            "different ones");
  EXPECT_EQ(complaint("ab\n\xFF"), "t.txt:2: must be UTF-8 text, holds the byte 0xFF");
}

TEST_F(TextCorpusTest, AWindowMustFitIntoBothParts) {
  TextTask task = task_with(TextUnit::kWord, 0.4);
  task.context = 6;
  EXPECT_EQ(complaint("a b a b a b a b a b", task),
            "task.context: must be less than the number of words in the training part of t.txt "
            "(6), got 6; words stand between blanks, and a text without them is read by "
            "task.unit=character");
  task.context = 5;
  EXPECT_EQ(complaint("a b a b a b a b a b", task),
            "task.context: must be less than the number of words in the validation part of t.txt "
            "(4), got 5; words stand between blanks, and a text without them is read by "
            "task.unit=character");
  task.context = 3;
  EXPECT_EQ(read("a b a b a b a b a b", task).training, 6);
}

TEST_F(TextCorpusTest, NothingNeedsToBeHeldOut) {
  TextTask task = task_with(TextUnit::kByte, 0);
  task.context = 3;
  EXPECT_EQ(read("abab", task).training, 4);
  EXPECT_EQ(text_shape(task, 2, 4).length, 3);
  EXPECT_EQ(text_shape(task, 2, 4).vocabulary, 2);
}

}  // namespace
}  // namespace qkvlab
