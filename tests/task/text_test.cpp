#include "base/error.hpp"
#include "support/tasks.hpp"

namespace qkvlab {
namespace {

/// 100 bytes, each told from its neighbours; the last 30 are held out.
constexpr const char* kText =
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqr"
    "zyxwvutsrqponmlkjihgfedcbazyxw";

class TextTest : public testing::Test {
 protected:
  std::unique_ptr<Task> task(int64_t context, double validation = 0.3) {
    TextTask config;
    config.file = folder_.write("t.txt", kText);
    config.context = context;
    config.validation = validation;
    return make_task(config, 0);
  }

  /// The tokens as text, without the padding.
  static std::string text_of(const Task& task, const std::vector<int64_t>& tokens) {
    std::string text;
    for (const int64_t token : tokens) {
      if (token != kUnsupervised) text += task.token_text(token);
    }
    return text;
  }

  TemporaryFolder folder_;
};

TEST_F(TextTest, TrainingWindowsStartAtEveryTokenAndStayWithinTheTrainingPart) {
  const auto windows = task(8);
  ASSERT_EQ(windows->examples(Split::kTrain), 70 - 8);
  const Batch batch = all_of(*windows, Split::kTrain);
  EXPECT_FALSE(batch.input.valid.defined());
  const Rows tokens = rows_of(batch.input.tokens);
  const Rows targets = rows_of(batch.targets);
  const std::string text = kText;
  for (size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(text_of(*windows, tokens[i]), text.substr(i, 8));
    EXPECT_EQ(text_of(*windows, targets[i]), text.substr(i + 1, 8));
  }
  EXPECT_EQ(windows->sampling(), Sampling::kAnywhere);
}

TEST_F(TextTest, EachTokenOfTheValidationPartButItsFirstIsPredictedOnce) {
  const std::string validation = std::string(kText).substr(70);
  // The last window whole, short by one, and with a single target.
  for (const int64_t context : {29, 10, 7, 28, 1}) {
    const auto windows = task(context);
    const Batch batch = all_of(*windows, Split::kHeldOut);
    std::string read;
    std::string predicted;
    for (const auto& row : rows_of(batch.targets)) predicted += text_of(*windows, row);
    EXPECT_EQ(predicted, validation.substr(1)) << context;
    const at::Tensor valid =
        batch.input.valid.defined() ? batch.input.valid : at::ones_like(batch.targets, at::kBool);
    const at::Tensor tokens = batch.input.tokens.masked_fill(~valid, kUnsupervised);
    for (const auto& row : rows_of(tokens)) read += text_of(*windows, row);
    EXPECT_EQ(read, validation.substr(0, 29)) << context;
    EXPECT_TRUE(valid.equal(batch.targets != kUnsupervised));
  }
}

TEST_F(TextTest, OnlyAShortWindowIsPadded) {
  const auto windows = task(10);
  EXPECT_FALSE(windows->batch(Split::kHeldOut, {0, 1}).input.valid.defined());
  const Batch batch = windows->batch(Split::kHeldOut, {2, 0});
  const at::Tensor left_out = (~batch.input.valid).sum(1);
  EXPECT_TRUE(left_out.equal(torch::tensor({1, 0}, torch::kLong)));
}

TEST_F(TextTest, NothingIsHeldOutWhereAllIsTrainedOn) {
  const auto windows = task(99, 0);
  EXPECT_EQ(windows->examples(Split::kTrain), 1);
  EXPECT_EQ(windows->examples(Split::kHeldOut), 0);
  EXPECT_EQ(windows->split_name(Split::kHeldOut), "validation");
}

TEST_F(TextTest, ABytePerTokenReadsAsACharacterOrAsItsNumber) {
  TextTask config;
  config.file = folder_.write("t.txt", "a我a我a我");
  config.unit = TextUnit::kByte;
  config.context = 2;
  config.validation = 0;
  const auto bytes = make_task(config, 0);
  std::string vocabulary;
  for (int64_t token = 0; token < bytes->shape().vocabulary; ++token) {
    vocabulary += bytes->token_text(token) + " ";
  }
  EXPECT_EQ(vocabulary, "a <0x88> <0x91> <0xE6> ");  // 我 is E6 88 91
}

TEST_F(TextTest, WindowsBeyondTheLimitAreRefused) {
  TextTask config;
  config.file = folder_.write("t.txt", kText);
  config.context = 20;
  Limits limits;
  limits.tokens_per_sequence = 19;
  const RandomSource data(RandomScheme::kKeyed, 0);
  config.validation = 0;
  EXPECT_THROW(make_task(config, data, limits), UserError);
  limits.tokens_per_sequence = 20;
  EXPECT_NO_THROW(make_task(config, data, limits));
}

}  // namespace
}  // namespace qkvlab
