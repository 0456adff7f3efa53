// `qkvlab trace CONFIG`.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/safetensors.hpp"
#include "base/terminal.hpp"
#include "record/record_stream.hpp"
#include "support/program.hpp"

namespace qkvlab {
namespace {

using nlohmann::json;

constexpr const char* kSmall = R"({
  "name": "small",
  "task": {"kind": "sequence", "rule": "reverse", "layout": "continued", "length": 3, "symbols": 6},
  "model": {"kind": "transformer", "d_model": 8, "n_layers": 2, "n_heads": 2, "max_length": 5},
  "training": {"steps": 1, "optimizer": {"kind": "sgd", "lr": 0.25}}
})";

class TraceConfigTest : public testing::Test {
 protected:
  ProgramRun trace(std::vector<std::string> more, const char* config = kSmall) {
    std::vector<std::string> arguments = {"trace", folder_.write("c.json", config)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_qkvlab(arguments);
  }
  /// One line on stderr, exit code 2, and nothing on stdout.
  std::string refusal(std::vector<std::string> more) {
    const ProgramRun run = trace(std::move(more));
    EXPECT_EQ(run.exit_code, 2) << run.error;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
    return run.error;
  }

  TemporaryFolder folder_;
};

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  size_t at = 0;
  for (const std::string& part : parts) {
    const size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " in\n" << text;
    at = found;
  }
}

size_t count_lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(TraceConfigTest, TheTextGoesFromTheSampleThroughBlocksAndHeadsToTheStep) {
  const ProgramRun run = trace({});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  expect_parts(run.out, {"Sample 1, split train",
                         "most likely",
                         "over 3 targets; a blind guess has log 6",
                         "= 1.791759",
                         "Forward pass of a transformer, mode full",
                         "x = embedding  [5, 8]",
                         "Block 0 of 2 ",
                         "norm1",
                         "Block 0 of 2, head 0 of 2",
                         "attention.q  [5, 4]",
                         "attention.scores = q kᵀ / √4, -inf where masked  [5, 5]",
                         "-inf",
                         "attention.context = attention · v  [5, 4]",
                         "Block 0 of 2, head 1 of 2",
                         "Block 0 of 2, behind its heads",
                         "mlp.preactivation  [5, 32]",
                         "output = residual2  [5, 8]",
                         "Block 1 of 2, behind its heads",
                         "Output",
                         "logits  [5, 6]",
                         "one step of sgd with lr 0.25",
                         "‖gradient‖",
                         "blocks.1.attention.out_proj.weight",
                         "largest |change|",
                         "loss of the sample"});
}

TEST_F(TraceConfigTest, ALargeModelIsCutToWhatAPersonReads) {
  const ProgramRun run = trace({"model.d_model=128", "model.n_layers=6", "model.n_heads=8",
                                "task.length=32", "model.max_length=63"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  expect_parts(run.out, {"Block 1 of 6", "Heads 4 to 7 are left out", "Blocks 2 to 4 are left out",
                         "Block 5 of 6"});
  EXPECT_NE(run.out.find("… the first 8 × 8"), std::string::npos);
  EXPECT_LT(count_lines(run.out), 1500U);
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LT(display_width(line), 120U) << line;
}

TEST_F(TraceConfigTest, BorrowedProjectionsAreSaidNotRepeated) {
  const ProgramRun run = trace({"model.attention.mode=shared_qkv"});
  expect_parts(run.out, {"mode shared_qkv", "attention.k = attention.q  [5, 4]",
                         "attention.v = attention.q  [5, 4]"});
  const ProgramRun none = trace({"model.attention.mode=none"});
  EXPECT_EQ(none.exit_code, 0) << none.error;
  EXPECT_EQ(none.out.find("attention."), std::string::npos);
}

TEST_F(TraceConfigTest, TheSentenceClassifierIsShownWithItsWordsAndLabels) {
  const ProgramRun run = run_qkvlab({"trace", "configs/sentiment.json"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  expect_parts(run.out, {"Sample 1 of 8, split train", "机器人", "target", "loss  0.600098",
                         "scores = q kᵀ / √8  [3, 3]", "我", "logits  [2]"});
}

TEST_F(TraceConfigTest, EveryRecordReadsBackAndTheFirstSaysWhatWasTraced) {
  const std::string file = folder_.file("r.jsonl");
  const ProgramRun run =
      trace({"--format", "jsonl", "--out", file, "--split", "test", "--sample", "7"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.out, "");
  std::vector<Record> records;
  const ReadSummary summary =
      read_records(file, [&](Record&& record, int64_t) { records.push_back(std::move(record)); });
  EXPECT_EQ(summary.unknown_types, 0);
  EXPECT_FALSE(summary.cut_last_line);
  const json config = json::parse(std::get<RunRecord>(records.front()).config);
  EXPECT_EQ(config["trace"]["sample"], 6);
  EXPECT_EQ(config["trace"]["split"], "test");
  EXPECT_EQ(std::get<EndRecord>(records.back()).status, "completed");
  EXPECT_EQ(folder_.entries().size(), 2U) << "no tensor was too large for a line";
}

TEST_F(TraceConfigTest, LargeTensorsGoToAFileBesideTheRecords) {
  const std::string file = folder_.file("r.jsonl");
  const std::vector<std::string> arguments = {"model.d_model=160", "--format", "jsonl"};
  std::vector<std::string> to_file = arguments;
  to_file.insert(to_file.end(), {"--out", file});
  ASSERT_EQ(trace(to_file).exit_code, 0);
  const SafetensorsFile stored = read_safetensors(folder_.file("r.safetensors"));
  std::vector<std::string> in_file;
  read_records(file, [&](Record&& record, int64_t) {
    const auto* tensor = std::get_if<TensorRecord>(&record);
    if (tensor == nullptr || tensor->file.empty()) return;
    EXPECT_EQ(tensor->file, "r.safetensors");
    in_file.push_back(tensor->phase + "/" + tensor->name);
  });
  // The MLPs' matrices, of 4 * 160 * 160 numbers, before and after, and their gradients.
  EXPECT_EQ(in_file.size(), 3U * 2 * 2);
  ASSERT_EQ(stored.tensors.size(), in_file.size());
  for (const StoredTensor& tensor : stored.tensors) {
    EXPECT_EQ(std::count(in_file.begin(), in_file.end(), tensor.name), 1) << tensor.name;
  }
  // Standard output is no file to stand beside: there they are whole.
  const ProgramRun printed = trace(arguments);
  EXPECT_EQ(printed.out.find("\"file\":\"r"), std::string::npos);
  EXPECT_EQ(printed.out.find("safetensors"), std::string::npos);
  EXPECT_GT(printed.out.size(), 12U * 102'400 * 5);
}

TEST_F(TraceConfigTest, LargeTensorsReplaceNoFileButTheirOwn) {
  const std::vector<std::string> to_file = {"model.d_model=160", "--format", "jsonl", "--out",
                                            folder_.file("r.jsonl")};
  const std::string tensors = folder_.write("r.safetensors", "precious");
  EXPECT_NE(refusal(to_file).find(tensors + ": is there, and not written by qkvlab"),
            std::string::npos);
  EXPECT_EQ(TemporaryFolder::read(tensors), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("r.jsonl")));
  write_safetensors(tensors, {}, {{"format", "pt"}});  // of another program
  EXPECT_NE(refusal(to_file).find("not written by qkvlab"), std::string::npos);
  std::filesystem::remove(tensors);
  ASSERT_EQ(trace(to_file).exit_code, 0);
  ASSERT_EQ(trace(to_file).exit_code, 0) << "what it has written itself it writes anew";
}

TEST_F(TraceConfigTest, ATableOfSentencesIsNoConfig) {
  const std::string file = folder_.write("my.tsv", "1\ta\n0\tb\n");
  const ProgramRun run = run_qkvlab({"trace", file});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.error, "qkvlab: error: trace: " + file +
                           ": is a table of sentences, not a config; did you mean --file " + file +
                           "?\n");
}

TEST_F(TraceConfigTest, WhatDoesNotFitIsRefused) {
  EXPECT_NE(refusal({"--split", "validation"}).find("allowed: train or test"), std::string::npos);
  EXPECT_NE(refusal({"--split", "test", "--sample", "2001"}).find("from 1 to 2000"),
            std::string::npos);
  EXPECT_NE(refusal({"--mode", "full"}).find("model.attention.mode="), std::string::npos);
  EXPECT_NE(refusal({"model.n_heads=3"}).find("model.n_heads"), std::string::npos);
  EXPECT_NE(refusal({"--out", folder_.file("t.jsonl")})
                .find("t.jsonl is the name of a file in JSON lines, but text would be written; "
                      "choose another name or another --format"),
            std::string::npos);
  EXPECT_EQ(folder_.entries().size(), 1U);
  std::filesystem::create_symlink("c.json", folder_.file("link"));
  EXPECT_NE(refusal({"--out", folder_.file("link")}).find("is the input itself"),
            std::string::npos);
}

TEST_F(TraceConfigTest, AStepThatDivergesIsShownAndFails) {
  const ProgramRun run = trace({"training.optimizer.lr=1e30"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.out.find("loss of the sample"), std::string::npos);
  EXPECT_NE(run.error.find("loss after the step is not finite"), std::string::npos) << run.error;
}

}  // namespace
}  // namespace qkvlab
