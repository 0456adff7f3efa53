#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace qkvlab {
namespace {

using Rows = std::vector<std::vector<double>>;

nlohmann::json attend(const std::string& file) {
  const ProgramRun run = run_qkvlab({"attend", file, "--format", "json"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.error, "");
  return nlohmann::json::parse(run.out);
}

void expect_near(const nlohmann::json& actual, const Rows& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(actual[i].size(), expected[i].size());
    for (size_t j = 0; j < expected[i].size(); ++j) {
      EXPECT_NEAR(actual[i][j].get<double>(), expected[i][j], tolerance) << i << ", " << j;
    }
  }
}

// Three tokens of width two by hand: Q = [1 0; 1 1; 2 1], K = [0 1; 1 0; 1 1], V = X.
TEST(Attend, TheThreeTokenExampleComesOutAsByHand) {
  const nlohmann::json result = attend("configs/attend/three_tokens.json");
  expect_near(result["q"], {{1, 0}, {1, 1}, {2, 1}}, 0);
  expect_near(result["k"], {{0, 1}, {1, 0}, {1, 1}}, 0);
  expect_near(result["v"], {{1, 0}, {0, 1}, {1, 1}}, 0);
  expect_near(result["products"], {{0, 1, 1}, {1, 1, 2}, {1, 2, 3}}, 0);
  const double r = 1 / std::sqrt(2.0);
  expect_near(result["scores"], {{0, r, r}, {r, r, 2 * r}, {r, 2 * r, 3 * r}}, 1e-15);
  expect_near(result["context"], {{0.599, 0.802}, {0.752, 0.752}, {0.716, 0.860}}, 5e-4);
}

TEST(Attend, TheCausalFormSeesNoLaterToken) {
  const nlohmann::json result = attend("configs/attend/three_tokens_causal.json");
  EXPECT_EQ(result["scores"][0][1], "-Infinity");
  EXPECT_EQ(result["scores"][1][2], "-Infinity");
  // Row 2: two equal scores. Row 3: as without the mask.
  const double e = std::exp(1 / std::sqrt(2.0));
  const double sum = e + e * e + e * e * e;
  expect_near(result["weights"],
              {{1, 0, 0}, {0.5, 0.5, 0}, {e / sum, e * e / sum, e * e * e / sum}}, 1e-12);
}

TEST(Attend, ThePaddingRowShowsWhatPaddingWouldDrawAndThatItDrawsNothing) {
  const std::vector<double> scores = {2, 1, 3, 2, 4, 5};
  double all = 0;
  double real = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    all += std::exp(scores[i]);
    if (i < 4) real += std::exp(scores[i]);
  }
  std::vector<double> expected;
  for (size_t i = 0; i < 4; ++i) expected.push_back(std::exp(scores[i]) / real);
  expected.insert(expected.end(), {0, 0});
  const nlohmann::json result = attend("configs/attend/padding_row.json");
  expect_near(result["products"], {scores}, 0);
  expect_near(result["weights"], {expected}, 1e-12);
  EXPECT_EQ(result["weights"][0][4], 0.0);

  EXPECT_NEAR(std::exp(4) / all, 0.2269, 5e-5);
  EXPECT_NEAR(std::exp(5) / all, 0.6169, 5e-5);
  const std::string text = run_qkvlab({"attend", "configs/attend/padding_row.json"}).out;
  EXPECT_NE(text.find("0.2269  0.6169\n"), std::string::npos) << text;
}

TEST(Attend, EveryStepIsShownWithItsShape) {
  const std::string text = run_qkvlab({"attend", "configs/attend/three_tokens_causal.json"}).out;
  for (const char* step :
       {"X  [3, 2]", "W_Q  [2, 2]", "Q = X W_Qᵀ  [3, 2]", "products = Q Kᵀ  [3, 3]",
        "scaled = products / √2  [3, 3]", "mask, 1 = may attend  [3, 3]",
        "weights = softmax of each row  [3, 3]", "context = weights V  [3, 2]"}) {
    EXPECT_NE(text.find(step), std::string::npos) << step << "\n" << text;
  }
}

TEST(Attend, AQueryThatMayAttendToNothingGetsZeros) {
  const TemporaryFolder folder;
  const nlohmann::json result = attend(folder.write(
      "a.json", R"({"q": [[1], [2]], "k": [[1], [2]], "v": [[5], [6]], "key_valid": [0, 0]})"));
  expect_near(result["weights"], {{0, 0}, {0, 0}}, 0);
  expect_near(result["context"], {{0}, {0}}, 0);
  EXPECT_EQ(result["scores"][1][1], "-Infinity");
}

TEST(Attend, ValuesMayBeOfAnotherWidthAndQueriesOfAnotherNumber) {
  const TemporaryFolder folder;
  const nlohmann::json result = attend(folder.write(
      "a.json",
      R"({"q": [[0, 0]], "k": [[1, 2], [3, 4]], "v": [[1, 2, 3], [3, 4, 5]], "scale": 7})"));
  expect_near(result["context"], {{2, 3, 4}}, 1e-12);
}

TEST(Attend, ADashIsStandardInput) {
  ProgramSetting setting;
  setting.in_file = QKVLAB_SOURCE_FOLDER "/configs/attend/three_tokens.json";
  const ProgramRun run = run_qkvlab({"attend", "-"}, setting);
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.out, run_qkvlab({"attend", "configs/attend/three_tokens.json"}).out);
}

TEST(Attend, AFileGetsWhatStandardOutputGets) {
  const TemporaryFolder folder;
  const std::string input = "configs/attend/three_tokens.json";
  const ProgramRun run = run_qkvlab({"attend", input, "--out", folder.file("a.txt")});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(TemporaryFolder::read(folder.file("a.txt")), run_qkvlab({"attend", input}).out);
}

}  // namespace
}  // namespace qkvlab
