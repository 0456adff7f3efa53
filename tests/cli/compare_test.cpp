#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "record/record_lines.hpp"
#include "support/program.hpp"

namespace qkvlab {
namespace {

using nlohmann::json;

const std::string kPublished = QKVLAB_REFERENCE_FOLDER "/projection_sharing_runs.csv";

/// The records of a completed run with one evaluation.
std::string run_lines(const std::string& variant, int64_t seed, float loss) {
  RunRecord run;
  run.run = variant + std::to_string(seed);
  run.experiment = "by hand";
  run.variant = variant;
  run.seed = seed;
  run.config = "{}";
  EndRecord end;
  end.run = run.run;
  end.status = "completed";
  std::string text;
  for (const Record& record :
       {Record(run), Record(EvaluationRecord{run.run, 10, "test", loss, {{"accuracy", 1 - loss}}}),
        Record(end)}) {
    append_record(text, record);
  }
  return text;
}

json compare(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"compare", "--format", "json"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const ProgramRun run = run_qkvlab(words);
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.error, "");
  return json::parse(run.out);
}

std::string refusal(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"compare"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const ProgramRun run = run_qkvlab(words);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  const std::string prefix = "qkvlab: error: ";
  EXPECT_EQ(run.error.rfind(prefix, 0), 0U) << run.error;
  return run.error.substr(std::min(run.error.size(), prefix.size()));
}

class Compare : public testing::Test {
 protected:
  const TemporaryFolder folder_;
};

TEST_F(Compare, RecordsAndATableOfTheSameValuesSayTheSame) {
  std::string records, table = "variant,seed,test.loss\n";
  for (const auto& [variant, loss] : {std::pair("full", 0.25f), std::pair("none", 0.5f)}) {
    for (int64_t seed = 0; seed < 8; ++seed) {
      const float value = loss + static_cast<float>(seed * seed) / 64;
      records += run_lines(variant, seed, value);
      table +=
          std::string(variant) + "," + std::to_string(seed) + "," + std::to_string(value) + "\n";
    }
  }
  const json from_records = compare({folder_.write("r.jsonl", records)});
  EXPECT_EQ(from_records, compare({folder_.write("t.csv", table)}));
  EXPECT_EQ(from_records.at("metric"), "test.loss");
  EXPECT_EQ(from_records.at("variants")[1].at("paired").at("p_sign_flip"), 2.0 / 256);
}

TEST_F(Compare, SeedsPairWhateverTheOrderOfLines) {
  const json whole = compare({folder_.write("t.csv",
                                            "variant,seed,loss\na,0,0\na,1,10\na,2,20\n"
                                            "b,2,21\nb,1,11\nb,0,1\n")});
  const json& paired = whole.at("variants")[1].at("paired");
  EXPECT_EQ(paired.at("n"), 3);
  EXPECT_EQ(paired.at("mean"), 1);
  EXPECT_EQ(paired.at("mean_ci"), (json{1, 1}));
  EXPECT_EQ(paired.at("p_improvement"), 0);
}

TEST_F(Compare, ADuplicateSeedNamesFileAndLine) {
  const std::string path = folder_.write("t.csv", "variant,seed,loss\na,0,0\nb,0,1\na,0,2\n");
  EXPECT_EQ(refusal({path}), path + ":4: seed 0 of 'a' is recorded twice, first in " + path +
                                 ":2; --cell-columns can name the columns that tell its lines "
                                 "apart\n");
  const std::string records = folder_.write("r.jsonl", run_lines("a", 0, 1) + run_lines("a", 1, 1));
  EXPECT_NE(refusal({records, records}), "");
  const std::string again = folder_.write("s.jsonl", run_lines("a", 1, 1));
  EXPECT_EQ(refusal({records, again}),
            again + ":1: run a1 is recorded twice, first in " + records + ":4\n");
}

TEST_F(Compare, ThePublishedTableSaysWhatThreeSeedsCanTell) {
  const json whole = compare({kPublished, "--baseline", "QKV", "--by", "task"});
  ASSERT_EQ(whole.at("tables").size(), 5u);
  for (const json& table : whole.at("tables")) {
    EXPECT_EQ(table.at("cells").size(), 4u) << "depths and heads are averaged within a seed";
    ASSERT_EQ(table.at("variants").size(), 6u);
    for (const json& variant : table.at("variants")) {
      EXPECT_EQ(variant.at("n"), 3);
      if (variant.at("variant") == "QKV") continue;
      EXPECT_EQ(variant.at("paired").at("smallest_p"), 0.25);
    }
  }
  // Is sharing K and V free? SORT: differences, their mean, t interval and d_z by SciPy 1.10.
  const json& sort = whole.at("tables")[2];
  ASSERT_EQ(sort.at("group"), "SORT");
  const json& shared_kv = sort.at("variants")[2];
  ASSERT_EQ(shared_kv.at("variant"), "Q!=K=V");
  const json& paired = shared_kv.at("paired");
  EXPECT_NEAR(paired.at("mean"), -0.03309166666666671, 1e-9);
  EXPECT_NEAR(paired.at("mean_ci")[0], -0.1680464537085845, 1e-9);
  EXPECT_NEAR(paired.at("mean_ci")[1], 0.10186312037525108, 1e-9);
  EXPECT_NEAR(paired.at("d_z"), -0.6091244254188365, 1e-9);
  EXPECT_EQ(
      sort.at("notes")[2].get<std::string>().rfind(
          "Q!=K=V: 3 seeds cannot tell it from QKV, whatever their values: the smallest p that "
          "they can reach is 0.25.",
          0),
      0u)
      << sort.at("notes");
}

TEST_F(Compare, FormatsHaveTheSameVariants) {
  for (const char* format : {"text", "markdown", "csv", "json"}) {
    const ProgramRun run = run_qkvlab({"compare", kPublished, "--baseline", "QKV", "--by", "task",
                                       "--variant", "Q!=K=V", "--format", format});
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_NE(run.out.find("QKV"), std::string::npos) << format;
    EXPECT_EQ(run.out.find("Q=K!=V"), std::string::npos) << format << " has one not asked for";
  }
}

TEST_F(Compare, AFileTakesTheOutputWhole) {
  const std::string out = folder_.file("out.md");
  const ProgramRun run = run_qkvlab(
      {"compare", kPublished, "--baseline", "QKV", "--format", "markdown", "--out", out});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(TemporaryFolder::read(out).rfind("**accuracy**", 0), 0u);
}

TEST_F(Compare, OtherNumbersOfTheCourseCanBeCompared) {
  std::string records;
  for (int64_t seed = 0; seed < 6; ++seed) {
    records += run_lines("full", seed, 0.25f) + run_lines("none", seed, 0.75f);
  }
  const std::string path = folder_.write("r.jsonl", records);
  const json whole =
      compare({path, "--metric", "test.accuracy", "--take", "steps-to", "--threshold", "0.5"});
  EXPECT_EQ(whole.at("metric"), "steps to test.accuracy >= 0.5");
  EXPECT_EQ(whole.at("variants")[0].at("mean"), 10);
  EXPECT_EQ(whole.at("variants")[1].at("not_reached"), 6);
  EXPECT_TRUE(whole.at("variants")[1].at("mean").is_null());
  EXPECT_EQ(whole.at("variants")[1].at("paired").at("p_wilcoxon"), 2.0 / 64)
      << "a run that never reaches it ranks behind every run that does";
}

TEST_F(Compare, RunsThatTrainRecordedAreCompared) {
  for (const char* mode : {"full", "none"}) {
    const ProgramRun run =
        run_qkvlab({"train", "configs/sentiment.json", "training.steps=3",
                    std::string("model.attention.mode=") + mode, "--out", folder_.file(mode)});
    ASSERT_EQ(run.exit_code, 0) << run.error;
  }
  const json whole = compare({folder_.file("full"), folder_.file("none")});
  EXPECT_EQ(whole.at("baseline"), "full");
  EXPECT_EQ(whole.at("variants")[1].at("paired").at("n"), 1);
}

TEST_F(Compare, OutputOverItsInputIsRefused) {
  const std::string records = run_lines("full", 0, 1);
  const std::string path = folder_.write("r.jsonl", records);
  const std::string link = folder_.file("link");
  std::filesystem::create_symlink(path, link);
  EXPECT_EQ(refusal({path, "--out", link}), "--out: " + link + " is the input itself\n");
  EXPECT_EQ(TemporaryFolder::read(path), records);
}

TEST_F(Compare, NoCommandWritesOverAnExperiment) {
  const std::string path = folder_.file("e");
  ASSERT_EQ(run_qkvlab({"train", "configs/sentiment.json", "training.steps=3",
                        "run.keep_checkpoints=true", "--out", path})
                .exit_code,
            0);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  ASSERT_EQ(files.size(), 5u) << "experiment.json, .lock, records, a checkpoint's two files";
  for (const std::string& file : files) {
    const std::string before = TemporaryFolder::read(file);
    const std::string link = folder_.file("link");  // a name that no format forbids
    std::filesystem::remove(link);
    std::filesystem::create_symlink(file, link);
    for (const char* command : {"compare", "show", "report"}) {
      const ProgramRun run = run_qkvlab({command, path, "--out", link});
      EXPECT_EQ(run.exit_code, 2) << command << " over " << file;
      EXPECT_NE(run.error.find("is the input itself"), std::string::npos) << run.error;
      EXPECT_EQ(TemporaryFolder::read(file), before) << command << " over " << file;
    }
  }
}

TEST_F(Compare, WhatCsvHasNoPlaceForIsToldBeside) {
  const std::string path = folder_.write("r.jsonl", run_lines("full", 0, 1) + "{");
  const ProgramRun run = run_qkvlab({"compare", path, "--format", "csv"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.error.find("the last line is cut"), std::string::npos) << run.error;
}

TEST_F(Compare, TheNotesBesideCsvAreOffUnderQuiet) {
  const std::string path = folder_.write("r.jsonl", run_lines("full", 0, 1) + "{");
  const ProgramRun run = run_qkvlab({"compare", path, "--format", "csv", "-q"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.error, "");
  EXPECT_NE(run.out, "");
}

/// Values of two variants and three seeds.
constexpr const char* kTable =
    "variant,seed,score\nfull,0,1\nfull,1,2\nfull,2,4\n"
    "none,0,2\nnone,1,4\nnone,2,7\n";

TEST_F(Compare, ATableAsSpreadsheetsWriteItIsRead) {
  const json plain = compare({folder_.write("a.csv", kTable)});
  EXPECT_EQ(plain.at("metric"), "score");
  EXPECT_EQ(compare({folder_.write("b.csv", "\xEF\xBB\xBF" + std::string(kTable))}), plain);
  EXPECT_EQ(refusal({folder_.write("c.csv", "variant,seed,score\nfull,0,\xEF\n")})
                .rfind(folder_.file("c.csv") + ":2: must be UTF-8", 0),
            0U);
}

TEST_F(Compare, ADashIsStandardInputWhateverItHolds) {
  const json table = compare({folder_.write("a.csv", kTable)});
  const std::string records = run_lines("full", 0, 1) + run_lines("none", 0, 2);
  const json runs = compare({folder_.write("r.jsonl", records)});
  const auto from = [](const std::string& in_file) {
    ProgramSetting setting;
    setting.in_file = in_file;
    const ProgramRun run = run_qkvlab({"compare", "-", "--format", "json", "--out", "-"}, setting);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    return json::parse(run.out, nullptr, false);
  };
  EXPECT_EQ(from(folder_.file("a.csv")), table);
  EXPECT_EQ(from(FilledPipe(kTable).path()), table);
  EXPECT_EQ(from(folder_.file("r.jsonl")).at("variants"), runs.at("variants"));
  EXPECT_EQ(from(FilledPipe(records).path()).at("variants"), runs.at("variants"));
  const FilledPipe substituted(kTable);
  EXPECT_EQ(compare({substituted.path()}), table);
}

TEST_F(Compare, SeedChoosesRunsAndBootstrapSeedTheResamples) {
  std::string records;
  for (int64_t seed = 0; seed < 8; ++seed) {
    records += run_lines("full", seed, 0.1f + 0.001f * static_cast<float>(seed * 37 % 101)) +
               run_lines("none", seed, 0.3f + 0.001f * static_cast<float>(seed * 53 % 97));
  }
  const std::string path = folder_.write("r.jsonl", records);
  EXPECT_EQ(compare({path}).at("variants")[0].at("n"), 8);
  const json some = compare({path, "--seed", "0..2,5"});
  EXPECT_EQ(some.at("variants")[0].at("n"), 4);
  EXPECT_EQ(some.at("variants")[1].at("paired").at("n"), 4);
  EXPECT_EQ(compare({folder_.write("a.csv", kTable), "--seed", "1"}).at("variants")[0].at("n"), 1);
  EXPECT_EQ(refusal({path, "--seed", "9"}), "--seed: no run has the seed 9; recorded: 0 to 7\n");
  const json one = compare({path, "--bootstrap-seed", "1"});
  EXPECT_EQ(one.at("variants")[0].at("mean"), compare({path}).at("variants")[0].at("mean"));
  EXPECT_NE(one.at("variants")[0].at("iqm_ci"), compare({path}).at("variants")[0].at("iqm_ci"));
}

TEST_F(Compare, APathInBracketsIsOnePath) {
  const std::string path = folder_.write("[a,b]", run_lines("full", 0, 1));
  ProgramSetting setting;
  setting.directory = folder_.path();
  for (const char* command : {"compare", "show", "report"}) {
    const ProgramRun run = run_qkvlab({command, "[a,b]", "--out", "-"}, setting);
    EXPECT_EQ(run.exit_code, 0) << command << ": " << run.error;
  }
  const ProgramRun missing = run_qkvlab({"compare", "[no,such]"}, setting);
  EXPECT_EQ(missing.error.rfind("qkvlab: error: [no,such]: ", 0), 0U) << missing.error;
}

TEST_F(Compare, AMetricOfAnotherSplitIsSuggested) {
  std::string records = run_lines("full", 0, 1);
  for (size_t at = 0; (at = records.find("\"test\"", at)) != std::string::npos; at += 1) {
    records.replace(at, 6, "\"validation\"");
  }
  const std::string path = folder_.write("r.jsonl", records);
  EXPECT_NE(
      refusal({path, "--metric", "test.accuracy"}).find("did you mean 'validation.accuracy'?"),
      std::string::npos);
}

TEST_F(Compare, APathThatIsNotUtf8IsStillNamed) {
  const std::string path = folder_.write("r\xff.jsonl", run_lines("full", 0, 1) + "{");
  EXPECT_EQ(compare({path}).at("notes").back(),
            folder_.file("r\uFFFD.jsonl") + ": the last line is cut, or being written just now.");
}

TEST_F(Compare, WhatWasLeftOutIsSaid) {
  const std::string path = folder_.write("r.jsonl", run_lines("full", 0, 1) + "{\"type\":\"st");
  const json whole = compare({path});
  EXPECT_EQ(whole.at("notes").back(), path + ": the last line is cut, or being written just now.");
}

TEST_F(Compare, MistakesAreNamedInOneLine) {
  const std::string records = folder_.write("r.jsonl", run_lines("full", 0, 1));
  EXPECT_EQ(refusal({}), "compare: PATH is required\n");
  EXPECT_EQ(refusal({records, "--metric", "test.los"}),
            "unknown metric 'test.los'; allowed: test.accuracy or test.loss; did "
            "you mean 'test.loss'?\n");
  EXPECT_EQ(refusal({records, "--variant", "ful"}),
            "--variant: unknown variant 'ful'; allowed: full; did you mean 'full'?\n");
  EXPECT_EQ(refusal({records, "--baseline", "ful"}),
            "--baseline: unknown variant 'ful'; allowed: full; did you mean 'full'?\n");
  EXPECT_EQ(refusal({records, "--metric", "step.lr", "--take", "best"}),
            "compare: --take needs --better higher or lower: 'step.lr' has no "
            "preferred direction\n");
  EXPECT_EQ(refusal({records, "--by", "modle"}),
            "unknown field 'modle'; allowed: experiment, folder or variant\n");
  EXPECT_EQ(refusal({records, "--take", "steps-to"}),
            "compare: --take steps-to needs --threshold, what is to be reached\n");
  EXPECT_EQ(refusal({records, "--threshold", "0.5"}),
            "compare: --threshold needs --take steps-to\n");
  EXPECT_EQ(refusal({records, "--take", "steps-to", "--threshold", "much"}),
            "--threshold: must be a finite number, got 'much'\n");
  EXPECT_EQ(refusal({records, kPublished}),
            "compare: a table of values is compared alone, got 2 paths\n");
  EXPECT_EQ(refusal({folder_.write("empty.jsonl", "")}),
            "" + folder_.file("empty.jsonl") + ": holds no runs to compare\n");
}

}  // namespace
}  // namespace qkvlab
