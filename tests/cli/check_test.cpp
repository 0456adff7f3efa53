#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace qkvlab {
namespace {

constexpr const char* kSentiment = "configs/sentiment.json";

TEST(Check, ShowsTheResolvedConfigAndWhatItCosts) {
  const ProgramRun run = run_qkvlab({"check", kSentiment, "model.attention.mode=uniform"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.error, "");
  EXPECT_NE(run.out.find("\"mode\": \"uniform\""), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\"momentum\": 0"), std::string::npos) << "defaults are shown";
  // 17 words of width 8, three positions, W_V, and a head of two classes.
  EXPECT_NE(run.out.find("  attention            64\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("  total               242\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("MB at the peak of training"), std::string::npos) << run.out;
}

TEST(Check, JsonIsOneObjectWithTheSameNumbers) {
  const ProgramRun run = run_qkvlab({"check", kSentiment, "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("config").at("training").at("optimizer").at("lr"), 0.3);
  EXPECT_EQ(json.at("shape"), (nlohmann::json{{"vocabulary", 17}, {"outputs", 2}, {"length", 3}}));
  const auto& parameters = json.at("parameters");
  EXPECT_EQ(parameters.at("total"), 370);
  int64_t sum = 0;
  for (const auto& part : parameters.items()) {
    if (part.key() != "total") sum += part.value().get<int64_t>();
  }
  EXPECT_EQ(sum, 370);
  EXPECT_DOUBLE_EQ(json.at("flops_per_token").at("training").get<double>(),
                   3 * json.at("flops_per_token").at("forward").get<double>());
  EXPECT_EQ(json.at("state_bytes"), 370 * 2 * 4);
  double megabytes = 0;
  for (const auto& part : json.at("memory_mb").items()) {
    if (part.key() != "total") megabytes += part.value().get<double>();
  }
  EXPECT_NEAR(json.at("memory_mb").at("total").get<double>(), megabytes, 0.5);
  EXPECT_GT(megabytes, 100);
}

TEST(Check, AResolvedConfigIsAConfig) {
  const TemporaryFolder folder;
  const ProgramRun first = run_qkvlab({"check", kSentiment, "--format", "json"});
  const auto json = nlohmann::json::parse(first.out);
  const std::string file = folder.write("again.json", json.at("config").dump());
  EXPECT_EQ(run_qkvlab({"check", file, "--format", "json"}).out, first.out);
}

TEST(Check, AShippedConfigIsFoundFromAnywhere) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_qkvlab({"check", kSentiment}, folder.path()).exit_code, 0);
}

TEST(Check, AMistakeIsOneLine) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"check", "no.json"},
                                             {"check", kSentiment, "training.optimizer.lr=abc"},
                                             {"check", kSentiment, "model.d_modle=3"},
                                             {"check", kSentiment, "sentiment"},
                                             {"check", kSentiment, "task.file=no.tsv"},
                                             {"check", kSentiment, "--format", "jsonl"},
                                             {"check"},
                                             {"schema", "now"}}) {
    const ProgramRun run = run_qkvlab(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.error;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
  }
}

TEST(Check, AnOverrideMayHoldCommasAndBrackets) {
  const ProgramRun run = run_qkvlab(
      {"check", kSentiment, "record.attention.layers=[0, 0]", "record.attention.heads=[]"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_NE(run.out.find("\"layers\": [0, 0]"), std::string::npos) << run.out;
}

TEST(Check, TheConfigIsNotOverwritten) {
  const TemporaryFolder folder;
  const std::string text = R"({"task": {"kind": "induction"}, "training": {"steps": 1}})";
  const std::string file = folder.write("x.json", text);
  EXPECT_EQ(run_qkvlab({"check", file, "--out", file}).exit_code, 2);
  EXPECT_EQ(TemporaryFolder::read(file), text);
}

TEST(Schema, PrintsJsonOrMarkdown) {
  EXPECT_EQ(nlohmann::json::parse(run_qkvlab({"schema"}).out).at("$schema"),
            "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(run_qkvlab({"schema", "--format", "markdown"}).out.substr(0, 4), "### ");
}

}  // namespace
}  // namespace qkvlab
