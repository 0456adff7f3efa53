#include <gtest/gtest.h>

#include <sys/resource.h>

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
  EXPECT_NE(line_with(done.out, "uniform").find(difference.str()), std::string::npos)
      << done.out << difference.str();
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
  ASSERT_EQ(run({"--replicas", "1", "--variants", "uniform", "--seeds", "3"}).exit_code, 0);
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
  const ProgramRun more = run({"--seeds", "0..4", "--variants", "uniform,identity_v"});
  ASSERT_EQ(more.exit_code, 0) << more.error;
  EXPECT_EQ(records().size(), 12U + 2 * 2 + 5);
  const auto extended = record_files();
  for (const auto& [name, bytes] : first) EXPECT_TRUE(extended.at(name) == bytes) << name;
}

TEST_F(AblateTest, KilledAtRandomMomentsItGoesOnToTheSameRecords) {
  ASSERT_EQ(run({"--out", "whole"}).exit_code, 0);
  std::mt19937 random(3);
  for (int i = 0; i < 6; ++i) {
    RunningProgram program(ablate({}), folder_.path());
    usleep(std::uniform_int_distribution<useconds_t>(400'000, 1'500'000)(random));
    program.signal(SIGKILL);
    program.wait();
  }
  const ProgramRun last = run();
  ASSERT_EQ(last.exit_code, 0) << last.error;
  EXPECT_EQ(records(), records("whole"));
}

TEST_F(AblateTest, InterruptedItSavesAndGoesOn) {
  ASSERT_EQ(run({"--out", "whole", "training.steps=3000", "record.step=0"}).exit_code, 0);
  RunningProgram program(ablate({"training.steps=3000", "record.step=0"}), folder_.path());
  while (!std::filesystem::exists(folder_.file("runs/small/checkpoints")) ||
         std::filesystem::is_empty(folder_.file("runs/small/checkpoints"))) {
    usleep(1000);
  }
  program.signal(SIGINT);
  const ProgramRun stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 130) << stopped.error;
  EXPECT_NE(stopped.error.find("the same command goes on"), std::string::npos) << stopped.error;
  ASSERT_EQ(run({"training.steps=3000", "record.step=0"}).exit_code, 0);
  EXPECT_EQ(records(), records("whole"));
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
  const ProgramRun elsewhere = run({"--seeds", "0", "training.optimizer.lr=0.2", "--force-new"});
  EXPECT_EQ(elsewhere.exit_code, 0) << elsewhere.error;
  EXPECT_EQ(records("runs/small-2").size(), 4U);
  EXPECT_EQ(records(), before);
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
  const std::string damaged = group["runs"][0]["run"];
  const std::string file = "runs/small/checkpoints/" + damaged + ".json";
  const Runs before = records();
  folder_.write(file, "{");
  const ProgramRun done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_NE(done.error.find("2 runs of 20 did not complete"), std::string::npos) << done.error;
  EXPECT_NE(done.error.find(file), std::string::npos) << done.error;
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
      run({"ablation.match_parameters=true", "--seeds", "0", "--variants", "uniform"});
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
            130);
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
  EXPECT_NE(refused({"--variants", "unifrm"}).find("did you mean 'uniform'?"), std::string::npos);
  EXPECT_NE(refused({"ablation.baseline=ful"}).find("did you mean 'full'?"), std::string::npos);
  EXPECT_NE(refused({R"(ablation.variants={"a":{"model.mlp.ratoi":3}})"}).find("'ratio'"),
            std::string::npos);
  std::string text = TemporaryFolder::read(folder_.file("runs/small/experiment.json"));
  text.replace(text.find("\"schema\": 1"), 11, "\"schema\": 2");
  folder_.write("runs/small/experiment.json", text);
  EXPECT_NE(refused({}).find("was written by a newer qkvlab"), std::string::npos);
}

}  // namespace
}  // namespace qkvlab
