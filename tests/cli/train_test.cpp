#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <sstream>

#include "support/program.hpp"

namespace qkvlab {
namespace {

using nlohmann::json;

/// A small causal model that reverses three symbols, with dropout everywhere.
constexpr const char* kSmallRun = R"({
  "name": "small",
  "task": {"kind": "sequence", "rule": "reverse", "layout": "continued", "length": 3, "symbols": 3,
           "held_out": 0.25},
  "model": {"kind": "transformer", "d_model": 8, "n_layers": 1, "n_heads": 2, "max_length": 5,
            "dropout": {"attention": 0.1, "residual": 0.1, "embedding": 0.1}},
  "training": {"steps": 40, "batch_size": 4, "evaluate": {"every": 10}},
  "record": {"gradients": 7, "attention": {"every": 20}},
  "run": {"checkpoint_steps": 4}
})";

class TrainTest : public testing::Test {
 protected:
  TrainTest() { folder_.write("small.json", kSmallRun); }

  static std::vector<std::string> train(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"train", "small.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  ProgramRun run(const std::vector<std::string>& more = {}) const {
    return run_qkvlab(train(more), folder_.path());
  }

  /// The files of a folder below the test's own, by name.
  std::vector<std::string> files(const std::string& name) const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file(name))) {
      paths.push_back(entry.path().string());
    }
    return paths;
  }

  /// The lines of the one file of records below `name`, each parsed strictly.
  std::vector<json> records(const std::string& name = "runs/small") const {
    const std::vector<std::string> paths = files(name + "/records");
    EXPECT_EQ(paths.size(), 1U);
    std::istringstream lines(TemporaryFolder::read(paths.at(0)));
    std::vector<json> all;
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
    return all;
  }

  /// What must not depend on how often a run was interrupted.
  static std::string reproducible(std::vector<json> records) {
    std::string text;
    for (json& record : records) {
      for (const char* measured : {"wall_s", "peak_rss_mb"}) record.erase(measured);
      text += record.dump() + "\n";
    }
    return text;
  }

  const TemporaryFolder folder_;
};

TEST_F(TrainTest, WritesTheFolderOfAnExperiment) {
  const ProgramRun done = run();
  ASSERT_EQ(done.exit_code, 0) << done.error;
  EXPECT_NE(done.out.find("test"), std::string::npos);
  EXPECT_NE(done.out.find("exact"), std::string::npos);
  const std::vector<json> all = records();
  EXPECT_EQ(all.front()["type"], "run");
  EXPECT_EQ(all.front()["variant"], "full");
  EXPECT_EQ(all.front()["config"]["training"]["steps"], 40);
  EXPECT_EQ(all.back()["type"], "end");
  EXPECT_EQ(all.back()["status"], "completed");
  EXPECT_EQ(all.back()["steps"], 40);
  std::map<std::string, int> count;
  for (const json& record : all) {
    ++count[record["type"]];
    EXPECT_EQ(record["run"], all.front()["run"]);
  }
  EXPECT_EQ(count["step"], 40);
  EXPECT_EQ(count["gradients"], 5);
  EXPECT_EQ(count["evaluation"], 4);
  EXPECT_EQ(count["attention"], 3);  // before, in the middle, after
  const json experiment =
      json::parse(TemporaryFolder::read(folder_.file("runs/small/experiment.json")));
  EXPECT_EQ(experiment["groups"][0]["runs"][0]["run"], all.front()["run"]);
  EXPECT_TRUE(files("runs/small/checkpoints").empty());
}

TEST_F(TrainTest, ACheckpointIsKeptWhereItIsAskedFor) {
  ASSERT_EQ(run({"run.keep_checkpoints=true"}).exit_code, 0);
  EXPECT_EQ(files("runs/small/checkpoints").size(), 2U);
  const std::vector<json> before = records();
  EXPECT_EQ(run({"--resume"}).exit_code, 0);  // which asks for none
  EXPECT_EQ(files("runs/small/checkpoints").size(), 2U);
  EXPECT_EQ(records(), before);
}

TEST_F(TrainTest, WhatCameOfItIsPrintedAsJson) {
  const ProgramRun done = run({"--format", "json", "--seed", "5", "--quiet"});
  ASSERT_EQ(done.exit_code, 0) << done.error;
  EXPECT_EQ(done.error, "");
  const json said = json::parse(done.out);
  const std::vector<json> all = records();
  EXPECT_EQ(all.front()["seed"], 5);
  EXPECT_EQ(said["run"], all.front()["run"]);
  EXPECT_EQ(said["status"], "completed");
  EXPECT_EQ(said["steps"], 40);
  ASSERT_EQ(said["evaluations"].size(), all.back()["metrics"].size() / 3);
  for (const json& evaluation : said["evaluations"]) {
    for (const char* metric : {"loss", "accuracy", "exact"}) {
      const std::string name = evaluation["split"].get<std::string>() + "." + metric;
      EXPECT_NEAR(evaluation[metric], all.back()["metrics"][name].get<double>(), 1e-6) << name;
    }
  }
  EXPECT_TRUE(std::filesystem::exists(folder_.file(said["records"])));
}

TEST_F(TrainTest, RepeatsItselfToTheLastBit) {
  ASSERT_EQ(run({"--out", "a"}).exit_code, 0);
  ASSERT_EQ(run({"--out", "b"}).exit_code, 0);
  EXPECT_EQ(reproducible(records("a")), reproducible(records("b")));
}

/// The step of the checkpoint of the run below `name`; nothing where there is none.
std::optional<int64_t> saved_step(const TemporaryFolder& folder, const std::string& name) {
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.file(name + "/checkpoints"), ignored)) {
    if (entry.path().extension() != ".json") continue;
    const json checkpoint = json::parse(TemporaryFolder::read(entry.path()), nullptr, false);
    if (!checkpoint.is_discarded()) return checkpoint["step"].get<int64_t>();
  }
  return {};
}

/// Waits until the run below `name` is saved with `steps` steps; false where it has ended before.
bool wait_for_steps(const TemporaryFolder& folder, const std::string& name, int64_t steps) {
  for (int i = 0; i < 20000; ++i) {
    if (saved_step(folder, name).value_or(-1) >= steps) return true;
    usleep(1000);
  }
  return false;
}

TEST_F(TrainTest, KilledTenTimesAndResumedItRecordsWhatAnUndisturbedRunDoes) {
  constexpr int64_t kSteps = 1200, kKills = 10;
  std::mt19937 random(1);
  for (const std::string optimizer : {R"({"kind": "sgd", "lr": 0.1, "momentum": 0.9})",
                                      R"({"kind": "adam"})", R"({"kind": "adamw"})"}) {
    const std::string kind = json::parse(optimizer)["kind"];
    const std::vector<std::string> fields = {"training.optimizer=" + optimizer,
                                             "training.steps=" + std::to_string(kSteps)};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), fields.begin(), fields.end());
      return train(more);
    };
    ASSERT_EQ(run_qkvlab(with({"--out", kind}), folder_.path()).exit_code, 0);
    const std::string killed = kind + "-killed";
    for (int64_t kills = 0; kills < kKills; ++kills) {
      RunningProgram program(with({"--out", killed}), folder_.path());
      // Somewhere after the checkpoint that this sitting began from.
      const int64_t before = saved_step(folder_, killed).value_or(0);
      ASSERT_TRUE(wait_for_steps(folder_, killed, before + 4)) << kind << ", kill " << kills;
      usleep(static_cast<useconds_t>(random() % 20000));
      program.signal(SIGKILL);
      ASSERT_EQ(program.wait().exit_code, -1) << "it had ended before it was killed";
      ASSERT_LT(saved_step(folder_, killed).value_or(kSteps), kSteps) << "work was left";
    }
    const ProgramRun done = run_qkvlab(with({"--out", killed}), folder_.path());
    ASSERT_EQ(done.exit_code, 0) << done.error;
    EXPECT_EQ(reproducible(records(killed)), reproducible(records(kind))) << kind;
  }
}

TEST_F(TrainTest, KilledBeforeItWasEverSavedItBeginsAnew) {
  const std::vector<std::string> unsaved = {"training.steps=400", "run.checkpoint_steps=null"};
  const auto with = [&](const std::string& out) {
    std::vector<std::string> more = unsaved;
    more.insert(more.end(), {"--out", out});
    return more;
  };
  ASSERT_EQ(run(with("whole")).exit_code, 0);
  // As a run leaves it that was killed before its first checkpoint: some of its lines are there.
  ASSERT_EQ(run(with("killed")).exit_code, 0);
  const std::string path = files("killed/records").at(0);
  const std::string text = TemporaryFolder::read(path);
  std::ofstream(path, std::ios::binary) << text.substr(0, text.size() / 2);
  ASSERT_EQ(run(with("killed")).exit_code, 0);
  EXPECT_EQ(reproducible(records("killed")), reproducible(records("whole")));
}

TEST_F(TrainTest, ARunThatHasEndedIsNeverTouchedWithoutTheWord) {
  ASSERT_EQ(run().exit_code, 0);
  const std::string path = files("runs/small/records").at(0);
  const std::string before = TemporaryFolder::read(path);
  std::filesystem::remove_all(folder_.file("runs/small/checkpoints"));
  const ProgramRun again = run({"record.attention.every=0"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.error.find("there already (completed after 40 steps); --overwrite"),
            std::string::npos)
      << again.error;
  EXPECT_EQ(again.out, "");
  const ProgramRun resumed = run({"--resume"});
  EXPECT_EQ(resumed.exit_code, 0);
  EXPECT_NE(resumed.out.find("exact"), std::string::npos) << resumed.out;
  // Without its last newline, as an editor leaves it, it is as whole.
  std::ofstream(path, std::ios::binary) << before.substr(0, before.size() - 1);
  EXPECT_EQ(run().exit_code, 2);
  EXPECT_EQ(TemporaryFolder::read(path), before.substr(0, before.size() - 1));
  // And a line that is damaged is not taken for one that was never written.
  std::string damaged = before;
  damaged[damaged.rfind("\"status\"") + 1] = 'S';
  std::ofstream(path, std::ios::binary) << damaged;
  const ProgramRun refused = run();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("its checkpoint is gone; --overwrite begins anew"),
            std::string::npos)
      << refused.error;
  EXPECT_EQ(TemporaryFolder::read(path), damaged);
  ASSERT_EQ(run({"--overwrite"}).exit_code, 0);
  EXPECT_EQ(records().back()["status"], "completed");
}

TEST_F(TrainTest, RecordsThatChangedSinceTheyWereSavedAreRefused) {
  const std::vector<std::string> sitting = {"training.steps=1000000", "limits.seconds=0.3"};
  ASSERT_NE(run(sitting).exit_code, 0);
  const std::string path = files("runs/small/records").at(0);
  const std::string saved = TemporaryFolder::read(path);
  const auto refused = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    const ProgramRun again = run(sitting);
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_NE(again.error.find("; --overwrite begins anew"), std::string::npos) << again.error;
    EXPECT_EQ(std::count(again.error.begin(), again.error.end(), '\n'), 1) << again.error;
    return again.error;
  };
  std::string changed = saved;
  const size_t digit = changed.find("\"loss\":0.") + 9;
  changed[digit] = changed[digit] == '1' ? '2' : '1';
  EXPECT_NE(refused(changed).find("bytes are not those that were saved"), std::string::npos);
  EXPECT_NE(refused(saved.substr(0, saved.size() / 2)).find("has only "), std::string::npos);
  std::ofstream(path, std::ios::binary) << saved;
  const ProgramRun resumed = run(sitting);
  EXPECT_NE(resumed.error.find("going on after step "), std::string::npos) << resumed.error;
}

TEST_F(TrainTest, GoingOnInAnotherEnvironmentIsSaidAndRecorded) {
  const std::vector<std::string> sitting = {"training.steps=1000000", "limits.seconds=0.3"};
  ASSERT_NE(run(sitting).exit_code, 0);
  const ProgramRun same = run(sitting);
  EXPECT_EQ(same.error.find("another environment"), std::string::npos) << same.error;
  for (const json& record : records()) EXPECT_NE(record["type"], "resumed");
  const auto [step, path] = [&] {
    for (const std::string& file : files("runs/small/checkpoints")) {
      if (std::filesystem::path(file).extension() == ".json")
        return std::pair(*saved_step(folder_, "runs/small"), file);
    }
    return std::pair(int64_t{0}, std::string());
  }();
  json checkpoint = json::parse(TemporaryFolder::read(path));
  checkpoint["environment"]["libtorch"] = "0.4.1";
  checkpoint["environment"]["blas"] = "";
  std::ofstream(path) << checkpoint;
  const ProgramRun elsewhere = run(sitting);
  EXPECT_NE(elsewhere.error.find("warning: goes on in another environment"), std::string::npos)
      << elsewhere.error;
  EXPECT_NE(elsewhere.error.find("libtorch 0.4.1 before, "), std::string::npos) << elsewhere.error;
  EXPECT_EQ(elsewhere.error.find("threads"), std::string::npos) << elsewhere.error;
  const std::vector<json> all = records();
  std::vector<json> resumed;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i]["type"] != "resumed") continue;
    resumed.push_back(all[i]);
    EXPECT_EQ(all[i + 1]["type"] == "step" ? all[i + 1]["step"] : json(step + 1), step + 1);
  }
  ASSERT_EQ(resumed.size(), 1U);
  EXPECT_EQ(resumed[0]["step"], step);
  EXPECT_EQ(resumed[0]["run"], all.front()["run"]);
  EXPECT_EQ(resumed[0]["environment"], all.front()["environment"]);
  // It is the environment before from now on.
  const ProgramRun again = run(sitting);
  EXPECT_EQ(again.error.find("another environment"), std::string::npos) << again.error;
  for (const char* command : {"compare", "show"}) {
    const ProgramRun read = run_qkvlab({command, "runs/small"}, folder_.path());
    EXPECT_EQ(read.out.find("left out"), std::string::npos) << read.out;
    EXPECT_EQ(read.error.find("left out"), std::string::npos) << read.error;
  }
}

TEST_F(TrainTest, ItsRecordsCanBeFollowedWhileItRuns) {
  // It writes little: a megabyte would be written anyhow.
  RunningProgram program(
      train({"training.steps=100000000", "run.checkpoint_steps=null", "record.step=100",
             "record.gradients=0", "record.attention.every=0", "training.evaluate.every=0"}),
      folder_.path());
  const auto lines = [&] {
    std::error_code ignored;
    int64_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.file("runs/small/records"), ignored)) {
      const std::string text = TemporaryFolder::read(entry.path());
      count += std::count(text.begin(), text.end(), '\n');
    }
    return count;
  };
  constexpr int kSlack = 20, kPromised = 5;
  int seconds = 0;
  while (lines() == 0 && seconds < kSlack) usleep(1'000'000), ++seconds;
  ASSERT_GT(lines(), 0);
  const int64_t before = lines();
  usleep(kPromised * 1'000'000);
  EXPECT_GT(lines(), before);
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait().exit_code, -1);
}

TEST_F(TrainTest, OverwritingForgetsTheFormerRunFirst) {
  ASSERT_EQ(run({"training.steps=100000", "limits.seconds=0.2"}).exit_code, 75);
  {
    RunningProgram program(
        train({"training.steps=100000", "run.checkpoint_steps=null", "--overwrite"}),
        folder_.path());
    for (int i = 0; i < 20000 && !files("runs/small/checkpoints").empty(); ++i) usleep(1000);
    EXPECT_TRUE(files("runs/small/checkpoints").empty());
    program.signal(SIGKILL);
    program.wait();
  }
  const ProgramRun resumed = run({"training.steps=100000", "limits.seconds=0.2", "--resume"});
  EXPECT_EQ(resumed.exit_code, 75) << resumed.error;
  EXPECT_NE(resumed.error.find("nothing of this run was saved"), std::string::npos)
      << resumed.error;
}

TEST_F(TrainTest, ASecondSignalEndsItAtOnce) {
  // One step of so many forward passes takes far longer than the test.
  RunningProgram program(train({"training.batch_size=1", "training.accumulate=200000"}),
                         folder_.path());
  for (int i = 0; i < 20000 && !std::filesystem::exists(folder_.file("runs/small/records")); ++i) {
    usleep(1000);
  }
  usleep(1000000);
  program.signal(SIGTERM);
  program.signal(SIGTERM);  // as `timeout` sends it twice: the same one
  usleep(1200000);
  program.signal(SIGINT);
  const ProgramRun done = program.wait();
  EXPECT_EQ(done.exit_code, -1);  // ended by the signal
  EXPECT_NE(done.error.find("a second signal ends at once, without saving"), std::string::npos)
      << done.error;
  EXPECT_TRUE(files("runs/small/checkpoints").empty());
}

TEST_F(TrainTest, TimeIsAddedUpOverSittings) {
  const std::vector<std::string> sitting = {"training.steps=100000", "limits.seconds=0.3",
                                            "--resume"};
  double before = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(sitting).exit_code, 75);
    const double wall = records().back()["wall_s"];
    EXPECT_GE(wall, before + 0.3);
    before = wall;
  }
}

TEST_F(TrainTest, AResumedRunStillStopsAtItsTarget) {
  const std::vector<std::string> target = {
      R"(training.target={"metric": "test.loss", "value": 1e9})", "training.evaluate.every=10",
      "run.checkpoint_steps=1"};
  std::vector<std::string> more = target;
  ASSERT_EQ(run(more).exit_code, 0);
  EXPECT_EQ(records().back()["steps"], 10);
  more.emplace_back("--resume");
  ASSERT_EQ(run(more).exit_code, 0);
  EXPECT_EQ(records().back()["steps"], 10);
}

TEST_F(TrainTest, ASignalEndsItSavedWithAnEndRecord) {
  for (const int number : {SIGINT, SIGTERM}) {
    const std::string name = "s" + std::to_string(number);
    RunningProgram program(train({"training.steps=100000", "--out", name}), folder_.path());
    ASSERT_TRUE(wait_for_steps(folder_, name, 8));
    program.signal(number);
    const ProgramRun done = program.wait();
    EXPECT_EQ(done.exit_code, 128 + number) << done.error;
    EXPECT_NE(done.error.find("the same command goes on"), std::string::npos) << done.error;
    const std::vector<json> all = records(name);
    EXPECT_EQ(all.back()["type"], "end");
    EXPECT_EQ(all.back()["status"], "interrupted");
    int64_t steps = 0;
    for (const json& record : all) steps += record["type"] == "step" ? 1 : 0;
    EXPECT_EQ(all.back()["steps"], steps);
  }
}

TEST_F(TrainTest, TimeUsedUpIsAnInterruption) {
  const ProgramRun done = run({"training.steps=1000000", "limits.seconds=0.5"});
  EXPECT_EQ(done.exit_code, 75) << done.error;
  EXPECT_NE(done.error.find("limits.seconds"), std::string::npos) << done.error;
  EXPECT_EQ(records().back()["status"], "interrupted");
}

TEST_F(TrainTest, ARunThatIsThereIsNotRunAgainUnasked) {
  ASSERT_EQ(run().exit_code, 0);
  const std::string before = reproducible(records());
  const ProgramRun again = run();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.error.find("completed after 40 steps); --overwrite"), std::string::npos)
      << again.error;
  const ProgramRun resumed = run({"--resume"});
  EXPECT_EQ(resumed.exit_code, 0);
  EXPECT_NE(resumed.error.find("had ended"), std::string::npos) << resumed.error;
  EXPECT_EQ(reproducible(records()), before);
  EXPECT_EQ(run({"--overwrite"}).exit_code, 0);
  EXPECT_EQ(reproducible(records()), before);
}

TEST_F(TrainTest, ARefusedCommandTouchesNoRecord) {
  ASSERT_EQ(run().exit_code, 0);
  const std::string path = files("runs/small/records").at(0);
  std::string text = TemporaryFolder::read(path);
  text.pop_back();  // as an editor does that drops the last newline
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(run().exit_code, 2);
  EXPECT_EQ(TemporaryFolder::read(path), text);
}

TEST_F(TrainTest, AnEndedRunWithoutItsRecordsIsNotTakenForWhole) {
  ASSERT_EQ(run({"run.keep_checkpoints=true"}).exit_code, 0);
  std::filesystem::remove(files("runs/small/records").at(0));
  for (const char* word : {"--resume", "name=small"}) {
    const ProgramRun resumed = run({word});
    EXPECT_EQ(resumed.exit_code, 2);
    EXPECT_NE(resumed.error.find("has only 0 of the "), std::string::npos) << resumed.error;
  }
  EXPECT_EQ(files("runs/small/checkpoints").size(), 2U);
}

// Between its checkpoint and its `end` record nothing is lost, however it is cut off there.
TEST_F(TrainTest, AKeptCheckpointWithoutTheEndOfItsRecordsIsFinished) {
  ASSERT_EQ(run({"run.keep_checkpoints=true"}).exit_code, 0);
  const std::string path = files("runs/small/records").at(0);
  const std::string whole = TemporaryFolder::read(path), before = reproducible(records());
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.rfind("{\"type\":\"end\"") + 9);
  ASSERT_EQ(run({"run.keep_checkpoints=true"}).exit_code, 0);
  EXPECT_EQ(reproducible(records()), before);
}

TEST_F(TrainTest, ARefusedCommandLeavesNoFolderThatBlocksTheNext) {
  const ProgramRun refused = run({"training.schedule.warmup_steps=1000", "--out", "e"});
  ASSERT_EQ(refused.exit_code, 2) << refused.error;
  EXPECT_EQ(run({"training.schedule.warmup_steps=1", "--out", "e"}).exit_code, 0);
}

TEST_F(TrainTest, WhatItIsReadFromIsNotWrittenOver) {
  const std::string text = "1\ta b\n0\tc d\n";
  folder_.write("my.tsv", text);
  folder_.write("s.json", R"({"task": {"kind": "sentences", "file": "my.tsv"},
                              "model": {"kind": "sentiment_trace"}, "training": {"steps": 1}})");
  for (const std::string command : {"check", "trace"}) {
    std::filesystem::remove(folder_.file("link"));
    std::filesystem::create_symlink("my.tsv", folder_.file("link"));
    const ProgramRun done = run_qkvlab({command, "s.json", "--out", "link"}, folder_.path());
    EXPECT_EQ(done.exit_code, 2) << command;
    EXPECT_NE(done.error.find("is the input itself"), std::string::npos) << done.error;
    EXPECT_EQ(TemporaryFolder::read(folder_.file("my.tsv")), text);
  }
}

TEST_F(TrainTest, AnotherSeedIsAnotherRunOfTheSameExperiment) {
  ASSERT_EQ(run().exit_code, 0);
  ASSERT_EQ(run({"random.seed=1"}).exit_code, 0);
  EXPECT_EQ(files("runs/small/records").size(), 2U);
}

TEST_F(TrainTest, AnotherConfigIsRefusedWithTheFirstDifference) {
  ASSERT_EQ(run().exit_code, 0);
  const ProgramRun other = run({"--resume", "model.tie_head=false"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.error.find("model.tie_head is true there, false here"), std::string::npos)
      << other.error;
  EXPECT_EQ(run({"--resume", "record.step=0", "run.threads=2", "name=other", "--out", "runs/small"})
                .exit_code,
            0);
}

TEST_F(TrainTest, ADivergingRunEndsCleanly) {
  const ProgramRun done =
      run({"training.optimizer={\"kind\": \"sgd\", \"lr\": 1e6}", "training.steps=1000"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_NE(done.error.find("the run has diverged: step "), std::string::npos) << done.error;
  EXPECT_NE(done.error.find(" is not finite"), std::string::npos) << done.error;
  const json end = records().back();
  EXPECT_EQ(end["status"], "diverged");
  EXPECT_NE(end["reason"].get<std::string>().find(" is not finite"), std::string::npos);
  const ProgramRun again = run(
      {"training.optimizer={\"kind\": \"sgd\", \"lr\": 1e6}", "training.steps=1000", "--resume"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.out, done.out);
  EXPECT_NE(again.error.find(end["reason"].get<std::string>()), std::string::npos) << again.error;
}

TEST_F(TrainTest, RecordsNothingThatIsNotAskedFor) {
  ASSERT_EQ(run({"record.step=0", "record.gradients=0", "record.attention.every=0",
                 "training.evaluate.every=0"})
                .exit_code,
            0);
  std::vector<std::string> types;
  for (const json& record : records()) types.push_back(record["type"]);
  EXPECT_EQ(types, (std::vector<std::string>{"run", "evaluation", "end"}));
}

TEST_F(TrainTest, WhatATextCannotGiveIsRefused) {
  const auto complaint = [&](const std::string& text, const std::string& field = "name=t") {
    folder_.write("t.txt", text);
    const ProgramRun done = run({"task={\"kind\": \"text\", \"file\": \"t.txt\", \"context\": 4}",
                                 "model.max_length=64", "model.n_layers=1", field});
    EXPECT_EQ(done.exit_code, 2) << text;
    EXPECT_EQ(std::count(done.error.begin(), done.error.end(), '\n'), 1) << done.error;
    return done.error;
  };
  EXPECT_NE(complaint("").find("t.txt"), std::string::npos);
  EXPECT_NE(
      complaint("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").find("one character"),
      std::string::npos);
  EXPECT_NE(complaint("ab\xFF").find("UTF-8"), std::string::npos);
  const std::string text = "abababababababababababababababababababababababababababababababab";
  EXPECT_NE(complaint(text, "task.context=60").find("context"), std::string::npos);
  EXPECT_NE(complaint(text + "abcab").find("task.unseen=unknown_token"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("runs")));
}

TEST_F(TrainTest, AFolderThatCannotBeIsRefused) {
  folder_.write("file", "");
  const ProgramRun done = run({"--out", "file/below"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_NE(done.error.find("file/below"), std::string::npos) << done.error;
}

TEST_F(TrainTest, TwoAtOnceDoNotWriteOneRun) {
  RunningProgram first(train({"training.steps=100000"}), folder_.path());
  ASSERT_TRUE(wait_for_steps(folder_, "runs/small", 4));
  const ProgramRun second = run({"training.steps=100000", "--resume"});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_NE(second.error.find("is being written by another run"), std::string::npos)
      << second.error;
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait().exit_code, 143);
}

}  // namespace
}  // namespace qkvlab
