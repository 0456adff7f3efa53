#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/number_text.hpp"
#include "experiment/sentiment_records.hpp"
#include "experiment/sentiment_run.hpp"
#include "support/reference.hpp"
#include "support/sinks.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

/// Sentences of one to seven words and three labels.
constexpr const char* kUneven =
    "good\ta\nbad\tb c\nmeh\ta b c d\ngood\ta a a\nbad\tc c d e f g h\nmeh\te f g h a\n";

class SentimentRunTest : public testing::Test {
 protected:
  Sentences read(const std::string& text) { return read_sentences(folder_.write("s.tsv", text)); }

  CollectingSink records_of(const Sentences& sentences, const SentimentRunOptions& options) {
    CollectingSink sink;
    emit_records(sentences, options, run_sentiment_trace(sentences, options), sink);
    return sink;
  }

  TemporaryFolder folder_;
};

TEST_F(SentimentRunTest, SentencesOfOneToSevenWordsAndThreeLabelsAreLearnedInEveryMode) {
  const Sentences sentences = read(kUneven);
  for (const ProjectionPlan& plan : attention_modes()) {
    SentimentRunOptions options;
    options.plan = plan;
    options.epochs = 40;
    const SentimentRun run = run_sentiment_trace(sentences, options);
    ASSERT_EQ(run.epochs.size(), 40U) << plan.mode;
    EXPECT_LT(run.epochs.back().loss_after, run.epochs.front().loss) << plan.mode;
    EXPECT_TRUE(same_values(run.initial, run.after_backward)) << plan.mode;
    EXPECT_EQ(run.trained_forward.logits.sizes(), (std::vector<int64_t>{1, 3})) << plan.mode;
  }
}

TEST_F(SentimentRunTest, EveryRecordOfEveryModeIsALineThatReadsBack) {
  const Sentences sentences = read(kUneven);
  for (const ProjectionPlan& plan : attention_modes()) {
    SentimentRunOptions options;
    options.plan = plan;
    options.epochs = 2;
    options.sentence = 4;
    std::set<std::string> runs;
    for (const Record& record : records_of(sentences, options).records) {
      std::string line;
      append_record(line, record);
      const Record again = parse_record(line.substr(0, line.size() - 1), "memory", 1);
      EXPECT_EQ(again.index(), record.index()) << line;
      std::visit([&](const auto& known) { runs.insert(known.run); }, again);
    }
    EXPECT_EQ(runs.size(), 1U) << plan.mode;
    EXPECT_EQ(runs.begin()->size(), 16U) << plan.mode;
  }
}

TEST_F(SentimentRunTest, EpochsAreNumberedFromOneAndTheSingleStepAppearsAsTensorsOnly) {
  SentimentRunOptions options;
  options.epochs = 3;
  const CollectingSink sink = records_of(read(kUneven), options);
  const auto steps = sink.all<StepRecord>();
  const auto evaluations = sink.all<EvaluationRecord>();
  ASSERT_EQ(steps.size(), 3U);
  ASSERT_EQ(evaluations.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(steps[i].step, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(evaluations[i].step, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(evaluations[i].split, "train");
    // The next step's loss before its update is this one's after.
    if (i > 0) {
      EXPECT_NEAR(steps[i].loss, evaluations[i - 1].loss, 1e-6);
    }
  }
  EXPECT_EQ(sink.all<EndRecord>().front().steps, 3);
  std::map<std::string, std::set<std::string>> names;
  for (const TensorRecord& tensor : sink.all<TensorRecord>()) {
    EXPECT_TRUE(names[tensor.phase].insert(tensor.name).second) << tensor.phase << tensor.name;
  }
  const std::set<std::string> parameters = {"position",      "embedding.weight", "q_proj.weight",
                                            "k_proj.weight", "v_proj.weight",    "head.weight",
                                            "head.bias"};
  const std::set<std::string> intermediates = {
      "x", "q", "k", "v", "scores", "attention", "context", "logits", "probabilities"};
  const std::map<std::string, std::set<std::string>> expected = {
      {"initial", parameters}, {"forward", intermediates}, {"gradient", parameters},
      {"step", parameters},    {"trained", parameters},    {"trained_forward", intermediates}};
  EXPECT_EQ(names, expected);
}

TEST_F(SentimentRunTest, GradientNormsAreThoseOfTheStepThatTheyMade) {
  SentimentRunOptions options;
  options.epochs = 1;
  const Sentences sentences = read(kUneven);
  const SentimentRun run = run_sentiment_trace(sentences, options);
  const CollectingSink sink = records_of(sentences, options);
  const auto gradients = sink.all<GradientsRecord>();
  ASSERT_EQ(gradients.size(), 1U);
  ASSERT_EQ(gradients[0].norms.size(), run.initial.size());
  double square = 0;
  for (size_t i = 0; i < run.initial.size(); ++i) {
    const at::Tensor step = run.trained[i].value - run.after_step[i].value;
    const double norm = step.norm().item<double>() / options.lr;
    EXPECT_EQ(gradients[0].norms[i].first, run.initial[i].path);
    EXPECT_NEAR(gradients[0].norms[i].second, norm, 2e-6) << run.initial[i].path;
    square += norm * norm;
  }
  EXPECT_NEAR(sink.all<StepRecord>().front().grad_norm, std::sqrt(square), 2e-6);
}

TEST_F(SentimentRunTest, ARunIsNamedByWhatAffectsItsResults) {
  const Sentences sentences = read(kUneven);
  const auto id_of = [&](const Sentences& data, const SentimentRunOptions& options) {
    return records_of(data, options).all<RunRecord>().front().run;
  };
  SentimentRunOptions options;
  options.epochs = 0;
  const std::string id = id_of(sentences, options);
  EXPECT_EQ(id_of(sentences, options), id);
  SentimentRunOptions other = options;
  other.seed = 32;
  EXPECT_NE(id_of(sentences, other), id);
  other = options;
  other.plan = attention_mode("uniform");
  EXPECT_NE(id_of(sentences, other), id);
  other = options;
  other.sentence = 1;
  EXPECT_NE(id_of(sentences, other), id);
  Sentences elsewhere = sentences;
  elsewhere.file = "elsewhere/s.tsv";
  EXPECT_EQ(id_of(elsewhere, options), id) << "another name for the same content";
  // The same name for other content is another run.
  EXPECT_NE(id_of(read(std::string(kUneven) + "good\tz\n"), options), id);
}

TEST_F(SentimentRunTest, ADivergingRunStopsAndSaysSo) {
  SentimentRunOptions options;
  options.lr = 1e30;
  options.epochs = 50;
  const Sentences sentences = read(kUneven);
  const SentimentRun run = run_sentiment_trace(sentences, options);
  EXPECT_TRUE(run.diverged);
  EXPECT_LT(run.epochs.size(), 50U);
  CollectingSink sink;
  emit_records(sentences, options, run, sink);
  EXPECT_EQ(sink.all<EndRecord>().front().status, "diverged");
}

TEST_F(SentimentRunTest, MoreMemoryThanTheLimitIsRefusedBeforeItIsTaken) {
  Limits limits;
  limits.memory_mb = 0;
  const Sentences sentences = read(kUneven);
  const std::string message = user_error([&] { run_sentiment_trace(sentences, {}, limits); });
  EXPECT_NE(message.find("6 sentences of up to 7 tokens with 3 labels need about"),
            std::string::npos)
      << message;
}

TEST_F(SentimentRunTest, ALabelForEverySentenceIsCountedIntoTheMemory) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "label" + std::to_string(i) + "\tword\n";
  const Sentences sentences = read(text);
  const std::string message = user_error([&] { run_sentiment_trace(sentences, {}); });
  EXPECT_NE(message.find("20000 labels need about"), std::string::npos) << message;
}

TEST_F(SentimentRunTest, TheLastEvaluationAndTheEndSayTheSameToTheLastDigit) {
  SentimentRunOptions options;
  options.epochs = 3;
  const CollectingSink sink = records_of(read(kUneven), options);
  std::string end;
  append_record(end, sink.all<EndRecord>().front());
  std::string loss;
  append_number(loss, sink.all<EvaluationRecord>().back().loss);
  EXPECT_NE(end.find("\"train.loss\":" + loss), std::string::npos) << end;
}

TEST_F(SentimentRunTest, DiagonalAndEntropyOfTheAttentionRecordAreThoseOfItsWeights) {
  SentimentRunOptions options;
  options.epochs = 1;
  options.sentence = 4;
  const AttentionRecord record = records_of(read(kUneven), options).all<AttentionRecord>().front();
  ASSERT_EQ(record.queries, 7);
  double diagonal = 0;
  for (int64_t i = 0; i < 7; ++i) {
    double entropy = 0;
    for (int64_t j = 0; j < 7; ++j) {
      const double w = record.weights[i * 7 + j];
      entropy -= w * std::log(w);
    }
    EXPECT_NEAR(record.entropy[i], entropy, 1e-5);
    diagonal += record.weights[i * 8] / 7.0;
  }
  EXPECT_NEAR(record.diagonal, diagonal, 1e-6);
}

}  // namespace
}  // namespace qkvlab
