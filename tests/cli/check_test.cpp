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
  const auto json = nlohmann::ordered_json::parse(first.out);
  const std::string file = folder.write("again.json", json.at("config").dump());
  EXPECT_EQ(run_qkvlab({"check", file, "--format", "json"}).out, first.out);
}

/// Of width 8, with an MLP of 32; `uniform` lacks 144 parameters, of which a hidden unit
/// has 17.
constexpr const char* kAblation = R"({"task": {"kind": "induction"}, "training": {"steps": 1},
  "model": {"d_model": 8, "n_heads": 2, "n_layers": 1},
  "ablation": {"variants": ["full", "uniform"], "seeds": "0..4", "match_parameters": true}})";

TEST(Check, AnAblationShowsItsVariantsAndRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.write("x.json", kAblation);
  const ProgramRun run = run_qkvlab({"check", file, "ablation.match_parameters=false"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  // Embeddings 32 × 8 and 128 × 8, projections 4 × 72, MLP 552, norms 3 × 16; the head is tied.
  // FLOPs: 2 × (4 × 64 + 2 × 256) + 4 × 32 × 8 + 2 × 8 × 32 for each token, three times.
  const std::string table =
      "\n  variant  parameters  FLOPs per token, training\n"
      "  full           2168                       9216\n"
      "  uniform        2024                       8448\n"
      "\n  baseline  full\n  seeds        5\n  runs        10\n";
  EXPECT_EQ(run.out.substr(run.out.size() - std::min(run.out.size(), table.size())), table);
  const ProgramRun matched = run_qkvlab({"check", file});
  EXPECT_NE(
      matched.out.find("  uniform        2160                       9216             32 → 40"),
      std::string::npos)
      << matched.out;
}

TEST(Check, JsonHasTheVariantsOfAnAblation) {
  const TemporaryFolder folder;
  const std::string file = folder.write("x.json", kAblation);
  const ProgramRun run = run_qkvlab({"check", file, "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  const auto json = nlohmann::json::parse(run.out);
  const auto& ablation = json.at("ablation");
  EXPECT_EQ(ablation.at("baseline"), "full");
  EXPECT_EQ(ablation.at("seeds"), 5);
  EXPECT_EQ(ablation.at("runs"), 10);
  const auto& variants = ablation.at("variants");
  ASSERT_EQ(variants.size(), 2);
  EXPECT_EQ(variants[0].at("name"), "full");
  EXPECT_EQ(variants[0].at("hidden"), nullptr);
  EXPECT_EQ(variants[0].at("parameters"), json.at("parameters").at("total"));
  EXPECT_EQ(variants[0].at("flops_per_token"), json.at("flops_per_token"));
  EXPECT_EQ(variants[1].at("cell"), nlohmann::json::object());
  EXPECT_EQ(variants[1].at("parameters"), 2024 + 8 * 17);
  EXPECT_EQ(variants[1].at("hidden"), (nlohmann::json{{"before", 32}, {"matched", 40}}));
  EXPECT_EQ(json.at("config").at("ablation").at("seeds"), "0..4");
  const ProgramRun without = run_qkvlab({"check", file, "ablation=null", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(without.out).at("ablation"), nullptr);
}

TEST(Check, AMistakeInAVariantIsOneLine) {
  const TemporaryFolder folder;
  const std::string file = folder.write("x.json", kAblation);
  const ProgramRun run =
      run_qkvlab({"check", file, R"(ablation.variants={"a":{"model.n_heads":3}})"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.error,
            R"(qkvlab: error: ablation.variants={"a":{"model.n_heads":3}}: ablation.variants.a.)"
            "model.n_heads: must divide model.d_model (8), got 3\n");
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

TEST(Check, ATextThatIsNotDownloadedYetSaysHowToGetIt) {
  const ProgramRun run =
      run_qkvlab({"check", "configs/text_lm.json", "task.file=data/downloaded/none.txt"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.error.find("scripts/get-data downloads texts"), std::string::npos) << run.error;
}

TEST(Check, ReadsAPipeAndStandardInputOnce) {
  const TemporaryFolder folder;
  const std::string text = R"({"name": "x", "task": {"kind": "induction"}, "training": {"steps": 1},
                               "ablation": {"variants": {"full": {}, "none": {}}}})";
  const std::string whole = run_qkvlab({"check", folder.write("x.json", text)}).out;
  EXPECT_NE(whole.find("variant"), std::string::npos);
  const FilledPipe pipe(text);
  const ProgramRun piped = run_qkvlab({"check", pipe.path()});
  EXPECT_EQ(piped.exit_code, 0) << piped.error;
  EXPECT_EQ(piped.out, whole);
  const FilledPipe input(text);
  ProgramSetting setting;
  setting.in_file = input.path();
  const ProgramRun from_input = run_qkvlab({"check", "-"}, setting);
  EXPECT_EQ(from_input.exit_code, 0) << from_input.error;
  EXPECT_EQ(from_input.out, whole);
}

TEST(Check, TheConfigIsNotOverwritten) {
  const TemporaryFolder folder;
  const std::string text = R"({"task": {"kind": "induction"}, "training": {"steps": 1}})";
  const std::string file = folder.write("x.json", text);
  const ProgramRun run = run_qkvlab({"check", file, "--format", "json", "--out", file});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.error.find("is the input itself"), std::string::npos) << run.error;
  EXPECT_EQ(TemporaryFolder::read(file), text);
}

TEST(Schema, PrintsJsonOrMarkdown) {
  EXPECT_EQ(nlohmann::json::parse(run_qkvlab({"schema"}).out).at("$schema"),
            "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(run_qkvlab({"schema", "--format", "markdown"}).out.substr(0, 4), "### ");
}

}  // namespace
}  // namespace qkvlab
