// The predicted peak memory against what the program takes, and the limits that it is for.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.hpp"

namespace qkvlab {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double predicted_mb(const Arguments& config) {
  const ProgramRun run = run_qkvlab(Arguments{"check"} + config + Arguments{"--format", "json"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  return nlohmann::json::parse(run.out).at("memory_mb").at("total");
}

/// What the `end` record of a run says.
double measured_mb(const Arguments& config) {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_qkvlab(Arguments{"train"} + config + Arguments{"--out", folder.file("run")});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  for (const auto& file : std::filesystem::directory_iterator(folder.file("run/records"))) {
    std::istringstream lines(TemporaryFolder::read(file.path().string()));
    for (std::string line; std::getline(lines, line);) {
      const auto record = nlohmann::json::parse(line);
      if (record.at("type") == "end") return record.at("peak_rss_mb");
    }
  }
  ADD_FAILURE() << "no end record";
  return 0;
}

TEST(Memory, IsPredictedWithinAFifth) {
  if (kSanitized) GTEST_SKIP() << "NOT CHECKED: a sanitizer's own memory would be measured";
  const TemporaryFolder folder;
  const std::string base = folder.write("base.json", R"({
      "task": {"kind": "induction", "length": 64, "test_examples": 8},
      "model": {"max_length": 64},
      "training": {"steps": 3, "batch_size": 32}})");
  std::string text;  // a megabyte
  while (text.size() < 1'000'000) text += "the cat sat on the mat\n";
  std::string sentences;  // six
  for (int i = 0; sentences.size() < 6'000'000; ++i) {
    sentences += std::to_string(i % 2) + "\tthe cat number w" + std::to_string(i % 999) + " sat\n";
  }
  const std::string few = "training.steps=3";
  const std::vector<Arguments> configs = {
      {"configs/sentiment.json", few},
      {"configs/published/sort_lm.json", few},
      {"configs/published/char_lm.json", few, "training.schedule.warmup_steps=0",
       "training.evaluate.batches=2", "task.file=" + folder.write("text.txt", text)},
      // A wide MLP, two optimizers, ReLU.
      {base, "model.mlp.ratio=32", "training.batch_size=48"},
      {base, "model.d_model=768", "training.batch_size=1",
       R"(training.optimizer={"kind": "adam"})"},
      {base, "model.mlp.activation=relu", "model.mlp.ratio=16", "training.batch_size=64",
       "training.optimizer.momentum=0.9"},
      // The gradients of one pass beside the next one's; a large table that is the head too.
      {base, "model.d_model=512", "training.batch_size=1", "training.accumulate=2"},
      {base, "model.d_model=64", "training.batch_size=2",
       R"(task={"kind": "recall", "vocabulary": 100000, "length": 32, "test_examples": 8})"},
      // A large file of sentences.
      {base, few, "model.tie_head=false", "training.batch_size=8", "training.evaluate.batches=1",
       R"(task={"kind": "sentences", "file": ")" + folder.write("sentences.tsv", sentences) +
           "\"}"},
      // Long sequences, without and with dropout.
      {base, "task.length=1024", "model.max_length=1024", "training.batch_size=2"},
      {base, "task.length=1024", "model.max_length=1024", "training.batch_size=2",
       "model.dropout.attention=0.1", "model.dropout.residual=0.1"},
      // Many logits.
      {"configs/published/recall.json", few, "training.epochs=null", "training.target=null",
       "training.batch_size=256", "task.train_examples=2000", "task.test_examples=256"}};
  for (const Arguments& config : configs) {
    const double predicted = predicted_mb(config), measured = measured_mb(config);
    const std::string name = testing::PrintToString(config);
    RecordProperty(name, std::to_string(predicted / measured));
    EXPECT_NEAR(predicted / measured, 1, 0.2) << name << ": " << predicted << ", " << measured;
  }
}

/// Expects that `check` and `train` refuse a config at once, for this reason.
void expect_refused(const Arguments& config, const std::string& reason) {
  const TemporaryFolder folder;
  for (const Arguments& command :
       {Arguments{"check"} + config,
        Arguments{"train"} + config + Arguments{"--out", folder.file("run")}}) {
    const ProgramRun run = run_qkvlab(command);
    EXPECT_EQ(run.exit_code, 2) << run.error;
    EXPECT_NE(run.error.find(reason), std::string::npos) << run.error;
    EXPECT_EQ(run.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("run"))) << "nothing was begun";
}

/// Of all that this process has started, so of this test alone where it runs in its own.
int64_t largest_child_kb() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

TEST(Memory, ARunBeyondALimitIsRefusedBeforeAnythingIsAllocated) {
  const TemporaryFolder folder;
  const std::string config = folder.write("long.json", R"({
      "task": {"kind": "induction", "length": 4096, "train_examples": 1000},
      "model": {"max_length": 8192}, "training": {"steps": 1, "batch_size": 64}})");
  const int64_t before = largest_child_kb();
  expect_refused({config}, "long.json:2: task.length: the run would need about ");
  expect_refused({config}, " MB, allowed are at most 8192 (limits.memory_mb); most of it, ");
  expect_refused({config, "training.batch_size=2", "limits.memory_mb=300"},
                 "(limits.memory_mb); most of it, ");
  expect_refused({config, "task.length=4097"},
                 "task.length=4097: task.length: makes sequences of 4097 tokens, allowed are at "
                 "most 4096 (limits.tokens_per_sequence)");
  expect_refused({config, "training.batch_size=257"},
                 "training.batch_size=257: training.batch_size: makes steps of 1052672 tokens, "
                 "allowed are at most 1048576 (limits.tokens_per_batch)");
  if (kSanitized) return;  // their memory would be counted too
  EXPECT_LE(largest_child_kb(), std::max<int64_t>(before, 300'000));
}

}  // namespace
}  // namespace qkvlab
