#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "support/program.hpp"

namespace qkvlab {
namespace {

using nlohmann::json;

/// Seeds whose groups are small enough that there are several.
constexpr const char* kSweep = R"({
  "name": "small",
  "task": {"kind": "majority", "symbols": 3, "length": 5, "test_examples": 20},
  "model": {"kind": "transformer", "d_model": 8, "n_layers": 1, "max_length": 5, "causal": false,
            "tie_head": false, "dropout": {"attention": 0.1, "residual": 0.1}},
  "training": {"steps": 60, "batch_size": 4, "evaluate": {"every": 20}},
  "run": {"checkpoint_steps": 7, "replicas": 2},
  "ablation": {"baseline": "full", "variants": {"uniform": {}, "none": {}, "shallow": {"model.mlp.ratio": 1}},
               "seeds": "0..4"}
})";
constexpr size_t kRuns = 20;

/// The records of each run, in order, without what is measured.
using Runs = std::map<std::string, std::vector<json>>;

class AblateTest : public testing::Test {
 protected:
  AblateTest() { folder_.write("small.json", kSweep); }

  static std::vector<std::string> ablate(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"ablate", "small.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  ProgramRun run(const std::vector<std::string>& more = {}) const {
    return run_qkvlab(ablate(more), folder_.path());
  }

  Runs records(const std::string& name = "runs/small") const {
    Runs runs;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file(name + "/records"))) {
      std::istringstream lines(TemporaryFolder::read(entry.path().string()));
      for (std::string line; std::getline(lines, line);) {
        json record = json::parse(line);
        for (const char* measured : {"wall_s", "peak_rss_mb"}) record.erase(measured);
        if (record.contains("config")) record["config"].erase("run");  // how it was asked to run
        runs[record["run"]].push_back(std::move(record));
      }
    }
    return runs;
  }

  /// The files of records, byte by byte: they hold how long each group took, so that one trained
  /// again would differ.
  std::map<std::string, std::string> record_files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.file("runs/small/records"))) {
      files[entry.path().filename()] = TemporaryFolder::read(entry.path().string());
    }
    return files;
  }

  json experiment(const std::string& name = "runs/small") const {
    return json::parse(TemporaryFolder::read(folder_.file(name + "/experiment.json")));
  }

  static std::string line_with(const std::string& text, const std::string& words) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(words) != std::string::npos) return line;
    }
    return {};
  }

  const TemporaryFolder folder_;
};

TEST_F(AblateTest, RunsEveryVariantWithEverySeedAndComparesThem) {
  const ProgramRun done = run();
  ASSERT_EQ(done.exit_code, 0) << done.error;
  EXPECT_NE(done.error.find("4 variants × 5 seeds = 20 runs"), std::string::npos) << done.error;
  for (const char* name : {"full", "uniform", "none", "shallow"}) {
    EXPECT_NE(line_with(done.out, name).find(" 5 "), std::string::npos) << done.out;
  }
  const Runs runs = records();
  ASSERT_EQ(runs.size(), kRuns);
  double full = 0, uniform = 0;
  for (const auto& [id, all] : runs) {
    EXPECT_EQ(all.front()["type"], "run");
    EXPECT_EQ(all.back()["type"], "end");
    EXPECT_EQ(all.back()["status"], "completed");
    const double accuracy = all.back()["metrics"]["test.accuracy"];
    if (all.front()["variant"] == "full") full += accuracy / 5;
    if (all.front()["variant"] == "uniform") uniform += accuracy / 5;
  }
  // The table says the same as the records.
  std::ostringstream difference;
  difference.precision(4);
  difference << std::fixed << std::showpos << uniform - full;
  if (uniform == full) difference.str("0.0000 ± 0.0000");
  // A wide table goes on beneath, with the names again.
  const std::string beneath = done.out.substr(done.out.find("Δ accuracy"));
  EXPECT_NE(line_with(beneath, "uniform").find(difference.str()), std::string::npos)
      << done.out << difference.str();
}

TEST_F(AblateTest, WhatCameOfItIsPrintedAsJson) {
  const ProgramRun done = run({"--format", "json", "--seeds", "0..2", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.error;
  EXPECT_EQ(done.error, "");
  const json said = json::parse(done.out);
  EXPECT_EQ(said["folder"], "runs/small");
  EXPECT_EQ(said["baseline"], "full");
  ASSERT_EQ(said["variants"].size(), 4U);
  std::map<std::string, double> losses;  // by variant and seed
  for (const auto& [id, all] : records()) {
    const std::string variant = all.front()["variant"];
    losses[variant + std::to_string(all.front()["seed"].get<int>())] =
        all.back()["metrics"]["test.loss"];
  }
  std::map<int, double> baseline;
  for (const json& variant : said["variants"]) {
    double sum = 0, difference = 0;
    for (const json& of_run : variant["runs"]) {
      EXPECT_EQ(of_run["status"], "completed");
      const double loss = of_run["metrics"]["loss"];
      const int seed = of_run["seed"];
      EXPECT_NEAR(loss, losses.at(variant["name"].get<std::string>() + std::to_string(seed)), 1e-6);
      sum += loss;
      if (variant["name"] == "full") baseline[seed] = loss;
      difference += loss - baseline.at(seed);
    }
    EXPECT_EQ(variant["metrics"]["loss"]["n"], 3);
    EXPECT_NEAR(variant["metrics"]["loss"]["mean"], sum / 3, 1e-9);
    EXPECT_EQ(variant["differences"].empty(), variant["name"] == "full");
    if (variant["name"] == "full") continue;
    EXPECT_NEAR(variant["differences"]["loss"]["mean"], difference / 3, 1e-9);
  }
}

TEST_F(AblateTest, VariantsOfASeedArePairedByWhatTheirRecordsSay) {
  ASSERT_EQ(run().exit_code, 0);
  std::map<int, std::map<std::string, std::string>> initial;  // by seed and parameter
  std::map<int, std::string> batches;                         // by seed
  size_t compared = 0;
  for (const auto& [id, all] : records()) {
    const int seed = all.front()["seed"];
    const bool shallow = all.front()["variant"] == "shallow";
    for (const auto& [path, digest] : all.front()["initial_digests"].items()) {
      if (shallow && path.find("mlp") != std::string::npos) continue;  // another shape
      const auto [there, is_new] = initial[seed].emplace(path, digest);
      EXPECT_EQ(there->second, digest) << path;
      compared += is_new ? 0 : 1;
    }
    const auto [there, is_new] = batches.emplace(seed, all.back()["batch_digest"]);
    EXPECT_EQ(there->second, all.back()["batch_digest"]);
  }
  EXPECT_GT(compared, 100U);
  EXPECT_NE(batches[0], batches[1]);
  EXPECT_NE(initial[0]["head.weight"], initial[1]["head.weight"]);
}

TEST_F(AblateTest, AnyNumberOfWorkersGivesTheSame) {
  ASSERT_EQ(run({"--workers", "1"}).exit_code, 0);
  ASSERT_EQ(run({"--workers", "3", "--out", "three"}).exit_code, 0);
  EXPECT_EQ(records(), records("three"));
}

TEST_F(AblateTest, OneByOneEqualsTrain) {
  ASSERT_EQ(run({"--replicas", "1", "--variant", "uniform", "--seeds", "3"}).exit_code, 0);
  const ProgramRun trained = run_qkvlab(
      {"train", "small.json", "model.attention.mode=uniform", "random.seed=3", "--out", "one"},
      folder_.path());
  ASSERT_EQ(trained.exit_code, 0) << trained.error;
  const Runs all = records(), one = records("one");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(all.at(one.begin()->first), one.begin()->second);
}

TEST_F(AblateTest, DoesOnlyWhatIsMissing) {
  ASSERT_EQ(run({"--seeds", "0..2"}).exit_code, 0);
  ASSERT_EQ(records().size(), 12U);
  const auto first = record_files();
  const ProgramRun again = run({"--seeds", "0..2"});
  EXPECT_NE(again.error.find("12 of them done"), std::string::npos) << again.error;
  EXPECT_EQ(record_files(), first);
  // More seeds and variants extend the folder, and leave what is there.
  const ProgramRun more =
      run({"--seeds", "0..4", "--variant", "uniform", "--variant", "identity_v"});
  ASSERT_EQ(more.exit_code, 0) << more.error;
  EXPECT_EQ(records().size(), 12U + 2 * 2 + 5);
  const auto extended = record_files();
  for (const auto& [name, bytes] : first) EXPECT_TRUE(extended.at(name) == bytes) << name;
}

TEST_F(AblateTest, WhatHasEndedStaysWithoutItsCheckpoints) {
  ASSERT_EQ(run({"--seeds", "0..2"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.file("runs/small/checkpoints")));
  const auto first = record_files();
  std::filesystem::remove_all(folder_.file("runs/small/checkpoints"));
  const ProgramRun again = run({"--seeds", "0..2", "--resume"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.error.find("12 of them done"), std::string::npos) << again.error;
  EXPECT_EQ(record_files(), first);
  ASSERT_EQ(run({"--seeds", "0..4"}).exit_code, 0);
  const auto extended = record_files();
  EXPECT_EQ(records().size(), kRuns);
  for (const auto& [name, bytes] : first) EXPECT_TRUE(extended.at(name) == bytes) << name;
}

TEST_F(AblateTest, OnlyTheWordOverwrites) {
  ASSERT_EQ(run({"--seeds", "0..2", "record.gradients=0"}).exit_code, 0);
  const Runs without_gradients = records();
  const ProgramRun done = run({"--seeds", "0..2", "--variant", "none", "--overwrite"});
  ASSERT_EQ(done.exit_code, 0) << done.error;
  EXPECT_EQ(done.error.find("of them done"), std::string::npos) << done.error;
  for (const auto& [id, all] : records()) {
    const bool anew = all.front()["variant"] == "none" || all.front()["variant"] == "full";
    EXPECT_EQ(all == without_gradients.at(id), !anew) << all.front()["variant"];
    EXPECT_EQ(all.back(), without_gradients.at(id).back());
  }
}

TEST_F(AblateTest, CheckpointsAreKeptWhereTheyAreAskedFor) {
  ASSERT_EQ(run({"--seeds", "0..1", "run.keep_checkpoints=true"}).exit_code, 0);
  std::set<std::string> weights;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_.file("runs/small/checkpoints"))) {
    if (entry.path().extension() == ".safetensors") weights.insert(entry.path());
  }
  EXPECT_EQ(weights.size(), 4U);
  ASSERT_EQ(run({"--seeds", "0..1"}).exit_code, 0);
  for (const std::string& path : weights) EXPECT_TRUE(std::filesystem::exists(path)) << path;
}

/// How many runs below `name` have their `end`.
size_t ended_runs(const TemporaryFolder& folder, const std::string& name) {
  size_t ended = 0;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.file(name + "/records"), ignored)) {
    std::istringstream lines(TemporaryFolder::read(entry.path().string()));
    for (std::string line; std::getline(lines, line);) {
      ended += line.rfind("{\"type\":\"end\"", 0) == 0 ? 1 : 0;
    }
  }
  return ended;
}

TEST_F(AblateTest, KilledAtRandomMomentsItGoesOnToTheSameRecords) {
  ASSERT_EQ(run({"--out", "whole"}).exit_code, 0);
  std::mt19937 random(3);
  constexpr int kKills = 6, kMostTries = 60;
  int kills = 0, with_some_done = 0;
  for (int tries = 0; kills < kKills; ++tries) {
    ASSERT_LT(tries, kMostTries) << "too few kills hit unfinished work";
    // When all is done the next round begins anew, in a folder of its own.
    const std::string folder = "killed" + std::to_string(kills / 2);
    RunningProgram program(ablate({"--out", folder}), folder_.path());
    usleep(std::uniform_int_distribution<useconds_t>(400'000, 1'500'000)(random));
    program.signal(SIGKILL);
    const bool was_killed = program.wait().exit_code == -1;
    const size_t ended = ended_runs(folder_, folder);
    if (was_killed && ended < kRuns && std::filesystem::exists(folder_.file(folder))) {
      ++kills;
      with_some_done += ended > 0 ? 1 : 0;
    } else if (ended == kRuns) {
      std::filesystem::remove_all(folder_.file(folder));
    }
    // What a user clears away must cost nothing but time.
    if (random() % 2 == 0) std::filesystem::remove_all(folder_.file(folder + "/checkpoints"));
  }
  for (int i = 0; i < kKills / 2; ++i) {
    const std::string folder = "killed" + std::to_string(i);
    const ProgramRun last = run({"--out", folder});
    ASSERT_EQ(last.exit_code, 0) << last.error;
    EXPECT_EQ(records(folder), records("whole"));
  }
}

TEST_F(AblateTest, InterruptedItSavesAndGoesOn) {
  ASSERT_EQ(run({"--out", "whole", "training.steps=3000", "record.step=0"}).exit_code, 0);
  RunningProgram program(ablate({"training.steps=3000", "record.step=0"}), folder_.path());
  const std::string checkpoints = folder_.file("runs/small/checkpoints");
  for (int i = 0; i < 60'000; ++i) {
    std::error_code missing;
    if (!std::filesystem::is_empty(checkpoints, missing) && !missing) break;
    usleep(1000);
  }
  program.signal(SIGTERM);
  const ProgramRun stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 143) << stopped.error;
  EXPECT_NE(stopped.error.find("the same command goes on"), std::string::npos) << stopped.error;
  ASSERT_EQ(run({"training.steps=3000", "record.step=0"}).exit_code, 0);
  EXPECT_EQ(records(), records("whole"));
}

// Some runs of a group have their `end`, the others not, and no checkpoint says where they stand:
// as a process leaves it that was killed as it wrote them.
TEST_F(AblateTest, AGroupOfWhichSomeRunsHaveEndedIsTrainedAgainAsAWhole) {
  ASSERT_EQ(run({"--seeds", "0..1", "--variant", "full"}).exit_code, 0);
  const Runs before = records();
  const auto files = record_files();
  ASSERT_EQ(files.size(), 1U);
  const auto& [name, text] = *files.begin();
  folder_.write("runs/small/records/" + name, text.substr(0, text.rfind("{\"type\":\"end\"")));
  const ProgramRun again = run({"--seeds", "0..1", "--variant", "full"});
  ASSERT_EQ(again.exit_code, 0) << again.error;
  EXPECT_NE(again.error.find("warning: "), std::string::npos) << again.error;
  EXPECT_NE(again.error.find("1 of its 2 runs had ended"), std::string::npos) << again.error;
  EXPECT_EQ(records(), before);
}

/// Whether a checkpoint below `name` says that some of its runs have ended and others have not.
bool some_have_ended(const TemporaryFolder& folder, const std::string& name) {
  std::error_code missing;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.file(name + "/checkpoints"), missing)) {
    if (entry.path().extension() != ".json") continue;
    const json checkpoint = json::parse(TemporaryFolder::read(entry.path()), nullptr, false);
    if (checkpoint.is_discarded()) continue;
    std::set<bool> learning;
    for (const json& run : checkpoint["runs"]) learning.insert(run["status"] == "learning");
    if (learning.size() == 2) return true;
  }
  return false;
}

TEST_F(AblateTest, RunsThatEndedBeforeTheirNeighboursAreLostNeitherWithNorWithoutACheckpoint) {
  std::vector<std::string> words = {"--variant",           "full",          "--replicas", "5",
                                    "training.steps=8000", "record.step=0", "--workers",  "1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), words.begin(), words.end());
    return more;
  };
  ASSERT_EQ(run(with({"--out", "plain", "training.steps=400"})).exit_code, 0);
  double least = 1e9;  // what one seed reaches within 400 steps
  for (const auto& [id, all] : records("plain")) {
    for (const json& record : all) {
      if (record["type"] == "evaluation" && record["split"] == "test") {
        least = std::min(least, record["loss"].get<double>());
      }
    }
  }
  words.push_back(R"(training.target={"metric": "test.loss", "value": )" +
                  std::to_string(least + 1e-6) + "}");
  ASSERT_EQ(run(with({"--out", "whole"})).exit_code, 0);
  for (const bool forgets : {false, true}) {
    const std::string name = forgets ? "forgotten" : "saved";
    RunningProgram program(ablate(with({"--out", name})), folder_.path());
    for (int i = 0; i < 60'000 && !some_have_ended(folder_, name); ++i) usleep(1000);
    program.signal(SIGINT);
    const ProgramRun stopped = program.wait();
    ASSERT_EQ(stopped.exit_code, 130) << stopped.error;
    ASSERT_TRUE(some_have_ended(folder_, name));
    if (forgets) std::filesystem::remove_all(folder_.file(name + "/checkpoints"));
    const ProgramRun last = run(with({"--out", name}));
    ASSERT_EQ(last.exit_code, 0) << last.error;
    EXPECT_EQ(last.error.find("are trained anew") != std::string::npos, forgets) << last.error;
    EXPECT_EQ(records(name), records("whole"));
  }
}

TEST_F(AblateTest, TwoProcessesShareTheWork) {
  const std::string steps = "training.steps=400";
  ASSERT_EQ(run({"--out", "whole", steps}).exit_code, 0);
  RunningProgram one(ablate({"--workers", "1", steps}), folder_.path());
  RunningProgram other(ablate({"--workers", "2", steps}), folder_.path());
  const ProgramRun first = one.wait(), second = other.wait();
  EXPECT_EQ(first.exit_code, 0) << first.error;
  EXPECT_EQ(second.exit_code, 0) << second.error;
  EXPECT_EQ(records(), records("whole"));
  // Each trained some of it: the configs in the records say how many workers they were told to use.
  std::set<int> leaders;
  for (const auto& [name, bytes] : record_files()) {
    leaders.insert(
        json::parse(bytes.substr(0, bytes.find('\n')))["config"]["run"]["workers"].get<int>());
  }
  EXPECT_EQ(leaders, (std::set<int>{1, 2}));
}

TEST_F(AblateTest, DivergedRunsAreToldAndDoNotDisturbTheOthers) {
  folder_.write("small.json", R"({
    "task": {"kind": "majority", "symbols": 3, "length": 5},
    "model": {"kind": "transformer", "d_model": 8, "n_layers": 1, "max_length": 5, "tie_head": false},
    "training": {"steps": 60, "batch_size": 4},
    "ablation": {"variants": {"wild": {"training.optimizer.lr": 1e6}}, "seeds": "0..2"}})");
  const ProgramRun done = run();
  EXPECT_EQ(done.exit_code, 1);
  for (const char* seed : {"0", "1", "2"}) {
    const std::string told = "wild, seed " + std::string(seed) + ": diverged: step ";
    const size_t first = done.error.find(told);
    ASSERT_NE(first, std::string::npos) << done.error;
    EXPECT_NE(done.error.find(told, first + 1), std::string::npos);  // and again at the end
  }
  EXPECT_NE(done.error.find("3 runs of 6 did not complete"), std::string::npos);
  for (const auto& [id, all] : records()) {
    const bool wild = all.front()["variant"] == "wild";
    EXPECT_EQ(all.back()["status"], wild ? "diverged" : "completed");
  }
  // Asked again it does not train them again, and says so again.
  const ProgramRun again = run();
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.error.find("6 of them done"), std::string::npos);
}

TEST_F(AblateTest, AChangedFieldIsRefusedWithTheDifference) {
  ASSERT_EQ(run({"--seeds", "0"}).exit_code, 0);
  const Runs before = records();
  const ProgramRun refused = run({"--seeds", "0", "training.optimizer.lr=0.2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("training.optimizer.lr is 0.1 there, 0.2 here"), std::string::npos)
      << refused.error;
  EXPECT_EQ(records(), before);
  const ProgramRun overwritten = run({"--seeds", "0", "training.optimizer.lr=0.2", "--overwrite"});
  EXPECT_EQ(overwritten.exit_code, 2) << "it is the word for its own runs, not for others'";
  EXPECT_EQ(records(), before);
  const ProgramRun elsewhere = run({"--seeds", "0", "training.optimizer.lr=0.2", "--out", "other"});
  EXPECT_EQ(elsewhere.exit_code, 0) << elsewhere.error;
  EXPECT_EQ(records("other").size(), 4U);
  EXPECT_EQ(records(), before);
}

TEST_F(AblateTest, RecordsNameTheVariantAndItsCellApart) {
  const ProgramRun done = run({"--seeds", "0..1", "--variant", "none", "training.steps=2",
                               "ablation.grid.model.norm=[\"pre\",\"post\"]",
                               "ablation.grid.random.scheme=[\"keyed\",\"torch_stream\"]"});
  ASSERT_EQ(done.exit_code, 0) << done.error;
  std::map<std::string, std::set<json>> cells;  // by variant
  for (const auto& [id, all] : records()) {
    cells[all.front()["variant"]].insert(all.front()["cell"]);
  }
  std::set<json> expected;
  for (const char* norm : {"pre", "post"}) {
    for (const char* scheme : {"keyed", "torch_stream"}) {
      expected.insert(json{{"model.norm", norm}, {"random.scheme", scheme}});
    }
  }
  EXPECT_EQ(cells, (std::map<std::string, std::set<json>>{{"full", expected}, {"none", expected}}));
  for (const json& group : experiment()["groups"]) EXPECT_EQ(expected.count(group["cell"]), 1);

  // Compared in the same cell, whatever the axis.
  const ProgramRun compared = run_qkvlab(
      {"compare", "runs/small", "--format", "json", "--by", "random.scheme"}, folder_.path());
  ASSERT_EQ(compared.exit_code, 0) << compared.error;
  EXPECT_EQ(compared.out.find("none random.scheme"), std::string::npos)
      << "no variant has its cell in its name: " << compared.out;
  // One cell of two axes can be chosen.
  const std::string cell = "none model.norm=post,random.scheme=keyed";
  const ProgramRun shown = run_qkvlab({"show", "runs/small", "--variant", cell}, folder_.path());
  ASSERT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_NE(shown.out.find(cell), std::string::npos) << shown.out;
  const ProgramRun one =
      run_qkvlab({"compare", "runs/small", "--format", "json", "--variant", cell}, folder_.path());
  ASSERT_EQ(one.exit_code, 0) << one.error;
  const ProgramRun all = run_qkvlab(
      {"compare", "runs/small", "--format", "json", "--variant", "none"}, folder_.path());
  ASSERT_EQ(all.exit_code, 0) << all.error;
  EXPECT_NE(one.out, all.out);
}

TEST_F(AblateTest, FilesOfEqualBytesAreOneVariantAndLeaveTheFolderAlone) {
  folder_.write("a.tsv", "0\ta b c\n1\ta\n0\td a\n1\tb\n");
  folder_.write("b.tsv", "0\ta b c\n1\ta\n0\td a\n1\tb\n");
  const ProgramRun refused =
      run({R"(task={"kind":"sentences","file":"a.tsv"})", "ablation.baseline=x",
           R"(ablation.variants={"x":{"task.file":"a.tsv"},"y":{"task.file":"b.tsv"}})"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("variants 'x' and 'y' are one and the same config"),
            std::string::npos)
      << refused.error;
  EXPECT_FALSE(std::filesystem::exists(folder_.file("runs")));
}

TEST_F(AblateTest, ARunIsTheSameByAnyName) {
  ASSERT_EQ(run({"--seeds", "0..1"}).exit_code, 0);
  const Runs before = records();
  const ProgramRun renamed = run({"--seeds", "0..1", R"(ablation.grid={"model.n_layers":[1]})"});
  ASSERT_EQ(renamed.exit_code, 0) << renamed.error;
  EXPECT_NE(renamed.error.find("8 of them done"), std::string::npos) << renamed.error;
  EXPECT_NE(line_with(renamed.out, "uniform model.n_layers=1").find(" 2 "), std::string::npos)
      << renamed.out;
  EXPECT_EQ(records(), before);
}

TEST_F(AblateTest, WhatIsDamagedCostsItsOwnGroupAlone) {
  ASSERT_EQ(run({"--seeds", "0..3"}).exit_code, 0);
  const json group = experiment()["groups"][0];
  const std::string file =
      "runs/small/records/" + group["runs"][0]["run"].get<std::string>() + ".jsonl";
  const Runs before = records();
  std::string text = TemporaryFolder::read(folder_.file(file));
  text[text.rfind("\"status\"") + 1] = 'S';
  folder_.write(file, text);
  const ProgramRun done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_NE(done.error.find("2 runs of 20 did not complete"), std::string::npos) << done.error;
  EXPECT_NE(done.error.find(file), std::string::npos) << done.error;
  EXPECT_NE(done.error.find("--overwrite begins anew"), std::string::npos) << done.error;
  EXPECT_EQ(TemporaryFolder::read(folder_.file(file)), text);
  EXPECT_EQ(records().size(), kRuns);  // the others were trained
  std::filesystem::remove(folder_.file(file));
  ASSERT_EQ(run().exit_code, 0);
  for (const auto& [id, all] : before) EXPECT_EQ(records().at(id), all);
}

TEST_F(AblateTest, AFullDiskIsOneLineAndFreedTheSweepGoesOn) {
  ASSERT_EQ(run({"--out", "whole"}).exit_code, 0);
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 20'000;  // which not even the first group's records keep within
  setrlimit(RLIMIT_FSIZE, &small);
  const ProgramRun full = run();
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.error.find("cannot be written: File too large"), std::string::npos) << full.error;
  ASSERT_EQ(run().exit_code, 0);
  EXPECT_EQ(records(), records("whole"));
}

TEST_F(AblateTest, ThePartitionIsFixedBeforeTheFirstStep) {
  ASSERT_EQ(run().exit_code, 0);
  const json groups = experiment()["groups"];
  EXPECT_EQ(groups.size(), 4U * 3);  // 5 seeds, two at a time
  ASSERT_EQ(run({"--replicas", "5"}).exit_code, 0);
  EXPECT_EQ(experiment()["groups"], groups);
}

TEST_F(AblateTest, ParametersCanBeMatched) {
  const ProgramRun done =
      run({"ablation.match_parameters=true", "--seeds", "0", "--variant", "uniform"});
  ASSERT_EQ(done.exit_code, 0) << done.error;
  EXPECT_NE(done.out.find("MLP width"), std::string::npos) << done.out;
  EXPECT_NE(line_with(done.out, "uniform").find("32 → "), std::string::npos) << done.out;
}

TEST_F(AblateTest, TheMemoryOfAllWorkersTogetherIsLimited) {
  const ProgramRun done = run({"limits.memory_mb=400", "--workers", "4", "--seeds", "0..1"});
  ASSERT_EQ(done.exit_code, 0) << done.error;
  EXPECT_NE(done.error.find("4 groups to train by 2 workers"), std::string::npos) << done.error;
  // A group that is in the folder stays as it is, so one that does not fit is refused.
  ASSERT_EQ(run({"--replicas", "200", "--seeds", "0..199", "training.steps=1", "--out", "large",
                 "limits.seconds=0.001"})
                .exit_code,
            75);
  const ProgramRun refused = run({"--replicas", "200", "--seeds", "0..199", "training.steps=1",
                                  "--out", "large", "limits.memory_mb=180"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("a group of 200 runs needs about"), std::string::npos)
      << refused.error;
}

TEST_F(AblateTest, MistakesAreOneLineAndNothingIsLost) {
  ASSERT_EQ(run({"--seeds", "0"}).exit_code, 0);
  const Runs before = records();
  const auto refused = [&](const std::vector<std::string>& more) {
    const ProgramRun done = run(more);
    EXPECT_NE(done.exit_code, 0);
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(records(), before);
    return done.error;
  };
  EXPECT_NE(refused({"--seeds", "0,0"}).find("twice"), std::string::npos);
  EXPECT_NE(refused({"--seeds", "x"}).find("--seeds"), std::string::npos);
  EXPECT_NE(refused({"--variant", "unifrm"}).find("did you mean 'uniform'?"), std::string::npos);
  EXPECT_NE(refused({"ablation.baseline=ful"}).find("did you mean 'full'?"), std::string::npos);
  EXPECT_NE(refused({R"(ablation.variants={"a":{"model.mlp.ratoi":3}})"}).find("'ratio'"),
            std::string::npos);
  std::string text = TemporaryFolder::read(folder_.file("runs/small/experiment.json"));
  text.replace(text.find("\"schema\": 2"), 11, "\"schema\": 3");
  folder_.write("runs/small/experiment.json", text);
  EXPECT_NE(refused({}).find("was written by a newer qkvlab"), std::string::npos);
}

}  // namespace
}  // namespace qkvlab
