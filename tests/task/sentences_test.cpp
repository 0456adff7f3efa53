#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "task/sentences.hpp"
#include "task/task.hpp"

namespace qkvlab {
namespace {

class SentencesTest : public testing::Test {
 protected:
  Sentences read(const std::string& text) { return read_sentences(folder_.write("s.tsv", text)); }

  TemporaryFolder folder_;
};

TEST_F(SentencesTest, ShorterSentencesArePaddedOnTheRight) {
  const Batch batch = whole_batch(read("1\ta b c\n0\tc\n"));
  EXPECT_TRUE(batch.input.tokens.equal(torch::tensor({{1, 2, 3}, {3, 0, 0}}, torch::kLong)));
  EXPECT_TRUE(batch.input.valid.equal(torch::tensor({{true, true, true}, {true, false, false}})));
  EXPECT_TRUE(batch.targets.equal(torch::tensor({1, 0}, torch::kLong)));
}

TEST_F(SentencesTest, ABatchWithoutPaddingHasNoMask) {
  const Sentences sentences = read("1\ta b\n0\tc\n");
  EXPECT_FALSE(whole_batch(read("1\ta b\n0\tc b\n")).input.valid.defined());
  EXPECT_FALSE(single_batch(sentences, 1).input.valid.defined());
  EXPECT_TRUE(single_batch(sentences, 1).input.tokens.equal(torch::tensor({{3}}, torch::kLong)));
}

TEST_F(SentencesTest, ATestFileIsWhatIsHeldOut) {
  SentencesTask config;
  config.file = folder_.write("train.tsv", "no\ta b\nyes\tc\n");
  const RandomSource data(RandomScheme::kKeyed, 0);
  const auto alone = make_task(config, data);
  EXPECT_EQ(alone->examples(Split::kHeldOut), 0);

  config.test_file = folder_.write("test.tsv", "yes\tc a b\nno\tnew\nno\ta\n");
  const auto task = make_task(config, data);
  EXPECT_EQ(task->examples(Split::kTrain), 2);
  EXPECT_EQ(task->examples(Split::kHeldOut), 3);
  EXPECT_EQ(task->split_name(Split::kHeldOut), "test");
  EXPECT_EQ(task->token_text(0), "<unk>");
  EXPECT_NE(task->file_digest(), alone->file_digest());
  // In the order that is asked for, no longer than the longest of them.
  const Batch batch = task->batch(Split::kHeldOut, {2, 1});
  EXPECT_TRUE(batch.input.tokens.equal(torch::tensor({{1}, {0}}, torch::kLong)));
  EXPECT_FALSE(batch.input.valid.defined()) << "<unk> is a word, not padding";
  EXPECT_TRUE(task->batch(Split::kHeldOut, {0}).targets.equal(torch::tensor({1}, torch::kLong)));
}

}  // namespace
}  // namespace qkvlab
