#include "record/recorded_runs.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "record/experiment_file.hpp"
#include "record/record_examples.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

using Texts = std::vector<std::string>;

std::string run_line(const std::string& id, const std::string& variant, int64_t seed) {
  RunRecord run = run_record();
  run.run = id;
  run.variant = variant;
  run.seed = seed;
  return line_of(run) + "\n";
}

std::string step_line(const std::string& id, int64_t step, float loss) {
  return line_of(StepRecord{id, step, loss, 0.1, 2.0f}) + "\n";
}

std::string evaluation_line(const std::string& id, int64_t step, float loss, float accuracy) {
  return line_of(EvaluationRecord{id, step, "test", loss, {{"accuracy", accuracy}}}) + "\n";
}

std::string end_line(const std::string& id, const std::string& status) {
  EndRecord end = end_record();
  end.run = id;
  end.status = status;
  return line_of(end) + "\n";
}

/// A map of two queries whose entropies have the given mean.
std::string attention_line(const std::string& id, int64_t step, int64_t sample, float entropy) {
  AttentionRecord map = attention_record();
  map.run = id;
  map.step = step;
  map.sample = sample;
  map.entropy = {entropy - 0.25f, entropy + 0.25f};
  return line_of(map) + "\n";
}

class RecordedRuns : public testing::Test {
 protected:
  Recording read(const std::string& content, const ReadingChoice& choice = {}) {
    return read_recording({folder_.write("r.jsonl", content)}, choice);
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("r.jsonl");
};

TEST_F(RecordedRuns, EachRunHasItsOwnSeriesWhateverTheOrderOfLines) {
  const Recording recording =
      read(run_line("a", "full", 3) + run_line("b", "uniform", 3) + step_line("a", 1, 0.5f) +
           step_line("b", 1, 0.75f) + step_line("b", 2, 0.25f) + step_line("a", 2, 0.125f) +
           evaluation_line("b", 2, 0.375f, 0.875f) + end_line("b", "completed"));
  ASSERT_EQ(recording.runs.size(), 2u);
  const RecordedRun& a = recording.runs[0];
  const RecordedRun& b = recording.runs[1];
  EXPECT_EQ(a.begin.variant, "full");
  EXPECT_EQ(place_of(b), path_ + ":2");
  EXPECT_EQ(a.series.at("step.loss").values, (std::vector<float>{0.5f, 0.125f}));
  EXPECT_EQ(b.series.at("step.loss").values, (std::vector<float>{0.75f, 0.25f}));
  EXPECT_EQ(b.series.at("step.loss").steps, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(b.series.at("step.grad_norm").values, (std::vector<float>{2, 2}));
  EXPECT_EQ(b.series.at("test.accuracy").values, std::vector<float>{0.875f});
  EXPECT_EQ(b.series.at("test.loss").values, std::vector<float>{0.375f});
  EXPECT_FALSE(a.end.has_value());
  EXPECT_EQ(b.end->status, "completed");
  EXPECT_TRUE(recording.left_out.empty());
}

TEST_F(RecordedRuns, OnlyWantedSeriesAreKeptButAllAreNamed) {
  ReadingChoice choice;
  choice.wants_series = [](const std::string& metric) { return metric == "test.loss"; };
  const Recording recording = read(run_line("a", "full", 3) + step_line("a", 1, 0.5f) +
                                       evaluation_line("a", 1, 1, 1) + attention_line("a", 1, 0, 1),
                                   choice);
  EXPECT_EQ(recording.runs[0].series.size(), 1u);
  EXPECT_EQ(recording.metrics,
            (std::set<std::string>{"attention.diagonal", "attention.entropy", "step.grad_norm",
                                   "step.loss", "step.lr", "test.accuracy", "test.loss"}));
}

TEST_F(RecordedRuns, EntropyIsTheMeanOverQueriesAndSamples) {
  const Recording recording = read(run_line("a", "full", 3) + attention_line("a", 0, 0, 0.5f) +
                                   attention_line("a", 0, 1, 1.5f) +
                                   attention_line("a", 0, 2, 2.5f) + attention_line("a", 5, 0, 4));
  const Series& entropy = recording.runs[0].series.at("attention.entropy.1.2");
  EXPECT_EQ(entropy.steps, (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(entropy.values, (std::vector<float>{1.5f, 4}));
}

TEST_F(RecordedRuns, EveryMapIsShownWithItsRun) {
  Texts shown;
  ReadingChoice choice;
  choice.visit_attention = [&](const RecordedRun& run, const AttentionRecord& map) {
    shown.push_back(run.begin.variant + " " + std::to_string(map.step));
  };
  read(run_line("a", "full", 3) + run_line("b", "none", 3) + attention_line("b", 0, 0, 1) +
           attention_line("a", 0, 0, 1) + attention_line("b", 9, 0, 1),
       choice);
  EXPECT_EQ(shown, (Texts{"none 0", "full 0", "none 9"}));
}

TEST_F(RecordedRuns, WhatIsNotWholeIsLeftOutAndTold) {
  std::string newer = run_line("b", "later", 4);
  newer.replace(newer.find("\"schema\":1"), 10, "\"schema\":2");
  const Recording recording =
      read(run_line("a", "full", 3) + newer + "{broken\n" + step_line("a", 1, 0.5f) +
           step_line("b", 1, 0.5f) + step_line("b", 2, 0.5f) +
           "{\"type\":\"probe\",\"run\":\"a\"}\n" + run_line("a", "full", 3) + "{\"type\":\"st");
  ASSERT_EQ(recording.runs.size(), 1u);
  EXPECT_EQ(recording.runs[0].series.at("step.loss").values, std::vector<float>{0.5f});
  ASSERT_EQ(recording.left_out.size(), 6u);
  EXPECT_EQ(recording.left_out[0], path_ + ":8: run a begins a second time; that is left out");
  EXPECT_EQ(recording.left_out[1],
            path_ +
                ":2: schema: must be at most 1, got 2; was it written by a newer qkvlab? "
                "(this line is left out)");
  EXPECT_EQ(recording.left_out[2].rfind(path_ + ":3: not JSON", 0), 0u);
  EXPECT_EQ(recording.left_out[3], path_ + ": 1 line is of a type that this version does not know");
  EXPECT_EQ(recording.left_out[4],
            path_ + ": 2 lines belong to runs that do not begin in this file, the first is line 5");
  EXPECT_EQ(recording.left_out[5], path_ + ": the last line is cut, or being written just now");
}

TEST_F(RecordedRuns, ARunThatTwoFilesHoldIsRefused) {
  const std::string first = folder_.write("a.jsonl", run_line("a", "full", 3));
  const std::string second =
      folder_.write("b.jsonl", run_line("b", "full", 4) + run_line("a", "full", 3));
  EXPECT_EQ(user_error([&] {
              read_recording({first, second});
            }),
            second + ":2: run a is recorded twice, first in " + first + ":1");
}

TEST_F(RecordedRuns, ManyDamagedLinesAreCounted) {
  std::string content = run_line("a", "full", 3);
  for (int i = 0; i < 7; ++i) content += "{\n";
  const Texts left_out = read(content).left_out;
  ASSERT_EQ(left_out.size(), 4u);
  EXPECT_EQ(left_out[3], path_ + ": 4 more lines are damaged and left out");
}

TEST_F(RecordedRuns, AFolderIsReadInTheOrderOfItsGroups) {
  std::filesystem::create_directory(folder_.file("records"));
  folder_.write("records/a.jsonl", run_line("a", "uniform", 1));
  folder_.write("records/z.jsonl", run_line("z", "full", 1));
  folder_.write("records/unlisted.jsonl", run_line("u", "full", 2));
  ExperimentFile file;
  file.config = R"({"ablation": {"baseline": "full"}})";
  file.identity = file.environment = "{}";
  file.groups = {{"full", {{"z", 1}}}, {"uniform", {{"a", 1}}}, {"none", {{"n", 1}, {"m", 2}}}};
  write_experiment_file(folder_.file("experiment.json"), file);
  const Recording recording = read_recording({folder_.path()});
  ASSERT_EQ(recording.runs.size(), 2u);
  EXPECT_EQ(recording.runs[0].begin.run, "z");
  EXPECT_EQ(recording.runs[1].begin.run, "a");
  EXPECT_EQ(recording.runs[1].folder, folder_.path());
  EXPECT_EQ(recording.baseline, "full");
  EXPECT_EQ(recording.left_out, Texts{folder_.path() + ": 2 of its runs have no records yet"});
}

TEST_F(RecordedRuns, AnExperimentWithoutAnAblationHasNoBaseline) {
  std::filesystem::create_directory(folder_.file("records"));
  folder_.write("records/a.jsonl", run_line("a", "uniform", 1));
  ExperimentFile file;
  file.config = R"({"ablation": null})";  // as train writes it
  file.identity = file.environment = "{}";
  file.groups = {{"uniform", {{"a", 1}}}};
  write_experiment_file(folder_.file("experiment.json"), file);
  const Recording recording = read_recording({folder_.path()});
  EXPECT_EQ(recording.baseline, "");
  EXPECT_EQ(recording.files,
            (Texts{folder_.file("experiment.json"), folder_.file("records/a.jsonl")}))
      << "what must not be written over";
}

TEST_F(RecordedRuns, WhatIsNeitherFolderNorFileIsRefused) {
  EXPECT_EQ(user_error([&] { read_recording({folder_.path()}); }),
            folder_.path() +
                ": is not an experiment folder: it has no experiment.json; allowed: "
                "folders that train and ablate write, and files of records");
  EXPECT_EQ(user_error([&] { read_recording({folder_.file("none")}); }),
            folder_.file("none") + ": cannot be read: No such file or directory");
}

}  // namespace
}  // namespace qkvlab
