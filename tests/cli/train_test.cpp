#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
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
  EXPECT_EQ(files("runs/small/checkpoints").size(), 2U);
}

TEST_F(TrainTest, RepeatsItselfToTheLastBit) {
  ASSERT_EQ(run({"--out", "a"}).exit_code, 0);
  ASSERT_EQ(run({"--out", "b"}).exit_code, 0);
  EXPECT_EQ(reproducible(records("a")), reproducible(records("b")));
}

/// Waits until the run below `name` has recorded `steps` steps; false where it ends before.
bool wait_for_steps(const TemporaryFolder& folder, const std::string& name, int steps) {
  for (int i = 0; i < 20000; ++i) {
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder.file(name + "/checkpoints"), ignored)) {
      if (entry.path().extension() != ".json") continue;
      const json checkpoint = json::parse(TemporaryFolder::read(entry.path()), nullptr, false);
      if (!checkpoint.is_discarded() && checkpoint["step"] >= steps) return true;
    }
    usleep(1000);
  }
  return false;
}

TEST_F(TrainTest, KilledTenTimesAndResumedItRecordsWhatAnUndisturbedRunDoes) {
  std::mt19937 random(1);
  for (const std::string optimizer : {R"({"kind": "sgd", "lr": 0.1, "momentum": 0.9})",
                                      R"({"kind": "adam"})", R"({"kind": "adamw"})"}) {
    const std::string kind = json::parse(optimizer)["kind"];
    const std::vector<std::string> fields = {"training.optimizer=" + optimizer,
                                             "training.steps=400"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), fields.begin(), fields.end());
      return train(more);
    };
    ASSERT_EQ(run_qkvlab(with({"--out", kind}), folder_.path()).exit_code, 0);
    const std::string killed = kind + "-killed";
    for (int kills = 0; kills < 10; ++kills) {
      RunningProgram program(with({"--out", killed, "--resume"}), folder_.path());
      // Somewhere after the checkpoint that this sitting began from.
      EXPECT_TRUE(wait_for_steps(folder_, killed, 4 + 36 * kills));
      usleep(static_cast<useconds_t>(random() % 20000));
      program.signal(SIGKILL);
      program.wait();
    }
    const ProgramRun done = run_qkvlab(with({"--out", killed, "--resume"}), folder_.path());
    ASSERT_EQ(done.exit_code, 0) << done.error;
    EXPECT_EQ(reproducible(records(killed)), reproducible(records(kind))) << kind;
  }
}

TEST_F(TrainTest, KilledBeforeItWasEverSavedItBeginsAnew) {
  ASSERT_EQ(run({"--out", "whole", "training.steps=400", "run.checkpoint_steps=null"}).exit_code,
            0);
  const std::vector<std::string> unsaved = {"--out", "killed", "training.steps=400",
                                            "run.checkpoint_steps=null"};
  {
    RunningProgram program(train(unsaved), folder_.path());
    for (int i = 0; i < 20000 && !std::filesystem::exists(folder_.file("killed/records")); ++i) {
      usleep(1000);
    }
    usleep(100000);
    program.signal(SIGKILL);
    program.wait();
  }
  std::vector<std::string> again = unsaved;
  again.emplace_back("--resume");
  ASSERT_EQ(run(again).exit_code, 0);
  EXPECT_EQ(reproducible(records("killed")), reproducible(records("whole")));
}

TEST_F(TrainTest, OverwritingForgetsTheFormerRunFirst) {
  ASSERT_EQ(run({"training.steps=100000", "limits.seconds=0.2"}).exit_code, 130);
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
  EXPECT_EQ(resumed.exit_code, 130) << resumed.error;
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
  EXPECT_NE(done.error.find("a second signal ends the run without saving"), std::string::npos)
      << done.error;
  EXPECT_TRUE(files("runs/small/checkpoints").empty());
}

TEST_F(TrainTest, TimeIsAddedUpOverSittings) {
  const std::vector<std::string> sitting = {"training.steps=100000", "limits.seconds=0.3",
                                            "--resume"};
  double before = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(sitting).exit_code, 130);
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
    EXPECT_EQ(done.exit_code, 130) << done.error;
    EXPECT_NE(done.error.find("--resume goes on"), std::string::npos) << done.error;
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
  EXPECT_EQ(done.exit_code, 130) << done.error;
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
  ASSERT_EQ(run().exit_code, 0);
  const std::string path = files("runs/small/records").at(0);
  std::filesystem::remove(path);
  const ProgramRun resumed = run({"--resume"});
  EXPECT_EQ(resumed.exit_code, 2);
  EXPECT_NE(resumed.error.find("lacks records"), std::string::npos) << resumed.error;
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(TrainTest, WhatItIsReadFromIsNotWrittenOver) {
  const std::string text = "1\ta b\n0\tc d\n";
  folder_.write("my.tsv", text);
  folder_.write("s.json", R"({"task": {"kind": "sentences", "file": "my.tsv"},
                              "model": {"kind": "sentiment_trace"}, "training": {"steps": 1}})");
  for (const std::string command : {"check", "trace"}) {
    const ProgramRun done = run_qkvlab({command, "s.json", "--out", "my.tsv"}, folder_.path());
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
  EXPECT_EQ(first.wait().exit_code, 130);
}

}  // namespace
}  // namespace qkvlab
