#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/terminal.hpp"
#include "config/projection_plan.hpp"
#include "support/program.hpp"

namespace qkvlab {
namespace {

using nlohmann::json;

std::vector<json> records(const std::string& text) {
  std::vector<json> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
  return all;
}

json reference() {
  return json::parse(TemporaryFolder::read(QKVLAB_REFERENCE_FOLDER "/sentiment8_seed31.json"));
}

/// The numbers of a nested array, in order.
void flatten(const json& nested, std::vector<double>& numbers) {
  if (nested.is_array()) {
    for (const json& part : nested) flatten(part, numbers);
  } else {
    numbers.push_back(nested.get<double>());
  }
}

void expect_near(const json& actual, const json& expected, const std::string& what) {
  std::vector<double> a;
  std::vector<double> b;
  flatten(actual, a);
  flatten(expected, b);
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6) << what << " " << i;
}

TEST(Trace, RecordsAreThoseOfTheEquivalentPyTorchProgram) {
  const ProgramRun run = run_qkvlab({"trace", "--format", "jsonl"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  const json expected = reference();
  const std::map<std::string, std::string> phases = {
      {"initial", "initial_parameters"}, {"forward", "first_forward"},
      {"gradient", "first_gradients"},   {"step", "parameters_after_first_step"},
      {"trained", "final_parameters"},   {"trained_forward", "final_forward"}};
  int tensors = 0;
  std::vector<double> losses;
  std::vector<double> accuracies;
  for (const json& record : records(run.out)) {
    const std::string type = record["type"];
    if (type == "step") losses.push_back(record["loss"]);
    if (type == "evaluation") accuracies.push_back(record["accuracy"]);
    if (type != "tensor") continue;
    const std::string name = record["name"];
    const std::string phase = record["phase"];
    if (name == "probabilities") {
      const bool first = phase == "forward";
      expect_near(record["values"], expected[first ? "first_probabilities" : "final_probabilities"],
                  phase + name);
    } else {
      expect_near(record["values"], expected[phases.at(phase)][name], phase + " " + name);
    }
    ++tensors;
  }
  EXPECT_EQ(tensors, 4 * 7 + 2 * 9);
  ASSERT_EQ(losses.size(), expected["curve"].size());
  for (size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(losses[i], expected["curve"][i]["loss"].get<double>(), 1e-6) << "epoch " << i + 1;
    EXPECT_EQ(accuracies[i], expected["curve"][i]["accuracy"].get<double>()) << "epoch " << i + 1;
  }
}

TEST(Trace, TheTextShowsTheReferenceFigures) {
  const std::string text = run_qkvlab({"trace"}).out;
  for (const char* part :
       {"‖dL/dW_Q‖  0.088961", "‖dL/dW_K‖  0.113293", "‖dL/dW_V‖  0.642523",
        "cross-entropy  0.655665    −log p(1)  0.655665",
        "weights changed by the backward pass: none", "‖ΔW_Q‖ since the start  0.737834",
        "‖ΔW_V‖ since the start  1.877701", "[24, 8]"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST(Trace, ChineseColumnsLineUp) {
  const std::string text = run_qkvlab({"trace", "--epochs", "0"}).out;
  std::istringstream lines(text.substr(text.find("attention = softmax")));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  const size_t width = display_width(line);
  for (int row = 0; row < 3; ++row) {
    std::getline(lines, line);
    EXPECT_EQ(display_width(line), width) << line;
  }
}

TEST(Trace, EveryModeTracesAsTextAndAsRecords) {
  for (const std::string& mode : attention_mode_names()) {
    const ProgramRun text = run_qkvlab({"trace", "--mode", mode, "--epochs", "2"});
    EXPECT_EQ(text.exit_code, 0) << mode << text.error;
    EXPECT_NE(text.out.find("mode " + mode), std::string::npos);

    const ProgramRun lines =
        run_qkvlab({"trace", "--mode", mode, "--epochs", "2", "--format", "jsonl"});
    ASSERT_EQ(lines.exit_code, 0) << mode << lines.error;
    const std::vector<json> all = records(lines.out);
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.back()["type"], "end") << mode;
    for (const json& record : all) {
      if (mode != "none") continue;
      EXPECT_NE(record.value("name", ""), "scores");
      EXPECT_NE(record["type"], "attention");
    }
  }
}

TEST(Trace, AFileGetsWholeRecords) {
  const TemporaryFolder folder;
  const std::string file = folder.file("records.jsonl");
  const ProgramRun run =
      run_qkvlab({"trace", "--format", "jsonl", "--epochs", "1", "--out", file, "--seed", "5"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.out, "");
  const std::vector<json> all = records(TemporaryFolder::read(file));
  EXPECT_EQ(all.front()["type"], "run");
  EXPECT_EQ(all.front()["seed"], 5);
  EXPECT_EQ(all.front()["parameters"]["total"], 17 * 8 + 3 * 8 + 3 * 64 + 2 * 8 + 2);
  EXPECT_EQ(all.front()["parameters"]["attention"], 3 * 64);
  EXPECT_EQ(all.back()["type"], "end");
  EXPECT_EQ(all.back()["status"], "completed");
  EXPECT_EQ(folder.entries().size(), 1U);
}

TEST(Trace, SentencesOfManyLengthsAndThreeLabelsTrain) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "s.tsv", "好\t很 有趣\n坏\t我 讨厌 这 个 糟糕 的 故障\n中\t模型\n好\t我 喜欢\n坏\t糟糕\n");
  const ProgramRun run = run_qkvlab({"trace", "--file", file, "--sentence", "2"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_NE(run.out.find("−log p(坏)"), std::string::npos);
  EXPECT_NE(run.out.find("scores = Q Kᵀ / √8  [7, 7]"), std::string::npos);
}

TEST(Doctor, SaysWhatEveryMaskMeansAndHowFastTheBlasIs) {
  const ProgramRun run = run_qkvlab({"doctor"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  for (const char* part : {"LibTorch", "BLAS", "GFLOP/s", "threads",
                           "qkvlab attend                                   may attend",
                           "key_padding_mask  blocked"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
}

}  // namespace
}  // namespace qkvlab
