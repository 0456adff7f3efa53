#include "config/memory.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

/// Small enough to count by hand: C = 4, two layers, two heads, MLP 3 C = 12, V = 7, T = 5,
/// B = 10; so that [B, T, C] has 200 numbers, [B, T, 3 C] 600, [B, H, T, T] 500, logits 350.
class PeakMemory : public testing::Test {
 protected:
  PeakMemory() {
    shape.vocabulary = shape.outputs = 7;
    shape.length = 5;
    transformer().d_model = 4;
    transformer().max_length = 5;
    transformer().mlp->ratio = 3;
    config.task = TextTask{};  // no file, so no bytes of it; a target for every token
    config.training.batch_size = 10;
  }

  TransformerConfig& transformer() { return std::get<TransformerConfig>(config.model); }

  /// In numbers of four bytes.
  MemoryUse numbers() const {
    MemoryUse use = peak_memory(config, shape);
    for (const MemoryPart& part : memory_parts()) use.*part.bytes /= sizeof(float);
    return use;
  }
  double weights() const {
    return static_cast<double>(model_size(config.model, shape).parameters());
  }

  ExperimentConfig config;
  TaskShape shape;
};

TEST_F(PeakMemory, OfATransformerCountedByHand) {
  // Kept for the backward pass by each block: stream, norm, q, k, v, joined heads, stream, norm;
  // input and output of GELU; the softmax. The peak is in the last block's backward pass, where
  // the gradients of what the MLP's second layer multiplies, of the stream, of what is added to it
  // and of a product within live too, and the logits and the head's gradient.
  const MemoryUse use = numbers();
  EXPECT_EQ(use.stream, 2 * 8 * 200 + 3 * 200);
  EXPECT_EQ(use.hidden, 2 * 2 * 600 + 600);
  EXPECT_EQ(use.attention, 2 * 500);
  EXPECT_EQ(use.vocabulary, 350);
  EXPECT_EQ(use.state, weights() + 7 * 4);  // of plain SGD no other gradients than the head's
  EXPECT_EQ(use.data, 2 * 2 * 10 * 5);      // ids and targets, of eight bytes
  EXPECT_GT(use.process, 50e6 / 4);
  EXPECT_EQ(use.total(), use.process + use.data + use.state + use.attention + use.hidden +
                             use.stream + use.vocabulary);
}

TEST_F(PeakMemory, BeyondOurOwnLoopsIsThatOfLibTorchsAttention) {
  // The peak is the end of the last block, where raw and masked scores, q, k, v before they were
  // copied apart, and context, attention's and MLP's output live too.
  config.random.scheme = RandomScheme::kTorchStream;
  const MemoryUse use = numbers();
  EXPECT_EQ(use.stream, 2 * 8 * 200 + 6 * 200);
  EXPECT_EQ(use.hidden, 2 * 2 * 600);
  EXPECT_EQ(use.attention, 2 * 500 + 2 * 500);
  EXPECT_EQ(use.vocabulary, 0);
  config.random.scheme = RandomScheme::kKeyed;
  shape.length = kLongestShortAttention + 1;
  const double scores = 10.0 * 2 * 129 * 129;
  EXPECT_EQ(numbers().attention, 2 * scores + 2 * scores);
}

TEST_F(PeakMemory, AHiddenWidthByItselfCountsInsteadOfTheRatio) {
  transformer().mlp->hidden = 2 * 12;
  const MemoryUse by_itself = numbers();
  transformer().mlp->hidden.reset();
  transformer().mlp->ratio = 6;
  EXPECT_EQ(by_itself.hidden, numbers().hidden);
  EXPECT_EQ(by_itself.hidden, 2 * 2 * 1200 + 1200) << "and the gradient of the last block's";
}

TEST_F(PeakMemory, OfManyLogitsIsInTheLoss) {
  shape.vocabulary = shape.outputs = 1000;
  const MemoryUse use = numbers();
  EXPECT_EQ(use.vocabulary, 2 * 50'000);  // logits, and their gradient
  EXPECT_EQ(use.stream, 2 * 8 * 200 + 3 * 200);
  EXPECT_EQ(use.attention, 2 * 500);
  config.training.accumulate = 2;  // of which each pass has a share
  EXPECT_EQ(numbers().vocabulary, 3 * 50'000);
  config.random.scheme = RandomScheme::kTorchStream;
  EXPECT_EQ(numbers().vocabulary, 4 * 50'000);  // log-probabilities and their gradient too
}

TEST_F(PeakMemory, OfLogitsIsThatOfTokensWithTargets) {
  shape.vocabulary = shape.outputs = 2000;
  RecallTask recall;
  recall.pairs = 3;
  config.task = recall;
  EXPECT_EQ(numbers().vocabulary, 2 * 10 * 3 * 2000);
  config.task = InductionTask{};
  EXPECT_EQ(numbers().vocabulary, 2 * 10 * 2000);
}

TEST_F(PeakMemory, OfOneHotTokens) {
  shape.vocabulary = 1000;
  transformer().embedding = EmbeddingKind::kOneHot;
  transformer().tie_head = false;
  config.task = InductionTask{};
  // Integers of eight bytes, of which floats are made.
  EXPECT_EQ(numbers().vocabulary, 3 * 50'000);
}

TEST_F(PeakMemory, DropoutKeepsItsMasks) {
  const MemoryUse before = numbers();
  transformer().dropout.attention = 0.1;
  EXPECT_EQ(numbers().attention - before.attention, 2 * 500);
  transformer().dropout.residual = 0.1;
  EXPECT_EQ(numbers().stream - before.stream, 2 * 2 * 200);
  transformer().dropout.embedding = 0.1;
  EXPECT_EQ(numbers().stream - before.stream, (2 * 2 + 1) * 200);
}

TEST_F(PeakMemory, ReluKeepsItsOutputAlone) {
  transformer().mlp->activation = Activation::kRelu;
  EXPECT_EQ(numbers().hidden, 2 * 600 + 2 * 600) << "and the gradients of the last block's";
  transformer().mlp->ratio = 64;  // the most of all when it has a gradient, and its input one
  EXPECT_EQ(numbers().hidden, 2 * 12'800 + 2 * 12'800);
}

TEST_F(PeakMemory, OneHeadIsNotCopiedApart) {
  transformer().n_heads = 1;
  EXPECT_EQ(numbers().vocabulary, 350);
  EXPECT_EQ(numbers().stream, 2 * 8 * 200 + 3 * 200);
  transformer().attention.plan = attention_mode("identity_qk");  // one projection, not three
  EXPECT_EQ(numbers().stream, 2 * 6 * 200 + 3 * 200);
}

TEST_F(PeakMemory, ScoresWithoutAGradientKeepLess) {
  transformer().dropout.attention = 0.1;
  transformer().attention.plan = attention_mode("uniform");
  const MemoryUse use = numbers();
  EXPECT_EQ(use.attention, 2 * 500);
  EXPECT_EQ(use.stream, 2 * 5 * 200 + 3 * 200);
}

TEST_F(PeakMemory, WithoutAttentionNothingIsSquare) {
  transformer().attention.plan = attention_mode("none");
  EXPECT_EQ(numbers().attention, 0);
}

TEST_F(PeakMemory, OfFewTokensIsInTheUpdate) {
  config.training.batch_size = 1;
  transformer().d_model = 100;
  const double largest = 3 * 100 * 100;  // a layer of the MLP
  EXPECT_EQ(numbers().state, 2 * weights()) << "in the first block's backward pass";
  config.training.optimizer = AdamConfig{};
  EXPECT_EQ(numbers().state, 4 * weights() + 2 * largest);
}

TEST_F(PeakMemory, OfRecordedAttentionIsThatOfItsSamples) {
  const double before = numbers().attention;
  config.record.attention.every = 1;
  config.record.attention.samples = 10;
  // Raw and masked scores and weights, of both layers.
  EXPECT_EQ(numbers().attention, 2 * 3 * 500);
  config.record.attention.samples = 1;
  EXPECT_EQ(numbers().attention, before);
}

TEST_F(PeakMemory, AStepHoldsTheExamplesOfAllItsPasses) {
  config.training.accumulate = 3;
  EXPECT_EQ(numbers().data, 3 * 2 * 2 * 10 * 5);
}

TEST_F(PeakMemory, AStepOfSeveralPassesHoldsTheGradientsOfThoseBefore) {
  transformer().d_model = 100;
  config.training.batch_size = 400;  // the peak is in the forward pass
  const double before = numbers().state;
  config.training.accumulate = 2;
  EXPECT_EQ(numbers().state - before, weights());
}

TEST_F(PeakMemory, ATableThatIsTheHeadTooHasTwoGradientsAndTheirSum) {
  InductionTask task;
  config.task = task;
  config.training.batch_size = 1;
  transformer().mlp.reset();
  shape.vocabulary = shape.outputs = 100'000;
  const double table = 4 * 100'000;
  EXPECT_EQ(numbers().state, 2 * weights() + 2 * table);
  config.training.accumulate = 2;
  EXPECT_EQ(numbers().state, 2 * weights() + 3 * table);
  transformer().tie_head = false;
  EXPECT_EQ(numbers().state, 2 * weights() + table);
}

TEST_F(PeakMemory, ATextTakesFiveBytesForEachOfItsOwn) {
  const TemporaryFolder folder;
  TextTask text;
  text.context = 5;
  text.file = folder.write("text", "abcdefghijklmno\n" + std::string(984, 'a'));
  config.task = text;
  const double before = peak_memory(config, shape).data;
  shape.file_bytes = task_shape(text).file_bytes;
  EXPECT_EQ(peak_memory(config, shape).data - before, 5000);
}

TEST_F(PeakMemory, SentencesTakeTheirTextAndEightBytesForEachWord) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += std::to_string(i % 2) + "\ta b c d e f g h i j\n";
  SentencesTask task;
  task.file = folder.write("lines.tsv", lines);
  const auto bytes = static_cast<double>(task_shape(task).file_bytes);
  const double text = static_cast<double>(lines.size()), words = 8 * 10'000;
  EXPECT_GT(bytes, text + words);
  EXPECT_LT(bytes, text + words + 1000 * 128) << "what a list takes beside its words";
}

TEST_F(PeakMemory, AnOrderOfManyExamplesTakesEightBytesForEach) {
  InductionTask task;
  config.task = task;
  const double before = peak_memory(config, shape).data;
  task.train_examples = 10'000'000;
  config.task = task;
  EXPECT_EQ(peak_memory(config, shape).data - before, 80e6);
}

TEST_F(PeakMemory, QuestionsOfATorchStreamAreDrawnAtOnce) {
  SequenceTask sequence;
  sequence.length = 5;
  sequence.train_examples = 100;
  sequence.test_examples = 20;
  config.task = sequence;
  const double before = peak_memory(config, shape).data;
  config.random.scheme = RandomScheme::kTorchStream;
  EXPECT_EQ(peak_memory(config, shape).data - before, 120 * 5 * 8);
}

TEST_F(PeakMemory, OfTheSentenceClassifierCountedByHand) {
  SentimentTraceConfig trace;
  trace.d_model = 4;
  config.model = trace;
  shape.per_token = false;
  config.task = SentencesTask{};
  config.training.batch_size = 100;
  const MemoryUse use = numbers();
  // x, q, k, v; and gradients of the context and of two of them at a time.
  EXPECT_EQ(use.stream, 4 * 2000 + 3 * 2000);
  EXPECT_EQ(use.attention, 2500);
}

TEST_F(PeakMemory, DoesNotOverflow) {
  transformer().d_model = 1 << 16;
  shape.length = int64_t{1} << 20;
  config.training.batch_size = 1;
  const double alone = peak_memory(config, shape).attention;
  config.training.batch_size = int64_t{1} << 40;
  EXPECT_DOUBLE_EQ(peak_memory(config, shape).attention, alone * 0x1p40);
}

}  // namespace
}  // namespace qkvlab
