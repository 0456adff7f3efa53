#include "record/experiment_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <nlohmann/json.hpp>

#include "base/descriptor.hpp"
#include "support/child.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

const std::vector<std::pair<std::string, std::string>> kEnvironment = {{"libtorch", "1.13"}};

std::vector<RunGroup> enter(const TemporaryFolder& folder, const VariantRuns& variant,
                            const std::string& identity = R"({"lr": 0.3})") {
  return ExperimentFolder(folder.file("e"))
      .enter({R"({"name": "注"})", identity, kEnvironment}, {variant});
}

void enter(const TemporaryFolder& folder, const std::string& run, int64_t seed,
           const std::string& identity = R"({"lr": 0.3})") {
  enter(folder, VariantRuns{"full", identity, {{run, seed}}}, identity);
}

std::vector<SeedRun> runs(int64_t begin, int64_t end) {
  std::vector<SeedRun> all;
  for (int64_t seed = begin; seed < end; ++seed) all.push_back({"r" + std::to_string(seed), seed});
  return all;
}

nlohmann::json read_experiment(const TemporaryFolder& folder) {
  return nlohmann::json::parse(TemporaryFolder::read(folder.file("e/experiment.json")));
}

TEST(ExperimentFolder, SaysWhatTheExperimentIs) {
  const TemporaryFolder folder;
  enter(folder, "aa", 3);
  const nlohmann::json expected = {
      {"schema", 2},
      {"config", {{"name", "注"}}},
      {"identity", {{"lr", 0.3}}},
      {"environment", {{"libtorch", "1.13"}}},
      {"variants",
       {{{"name", "full"}, {"cell", nlohmann::json::object()}, {"identity", {{"lr", 0.3}}}}}},
      {"groups",
       {{{"variant", "full"},
         {"cell", nlohmann::json::object()},
         {"runs", {{{"run", "aa"}, {"seed", 3}}}}}}}};
  EXPECT_EQ(read_experiment(folder), expected);
  EXPECT_TRUE(std::filesystem::is_directory(folder.file("e/records")));
  EXPECT_TRUE(std::filesystem::is_directory(folder.file("e/checkpoints")));
}

TEST(ExperimentFolder, TakesFurtherRunsAndEachOnce) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  enter(folder, "bb", 1);
  const nlohmann::json two = read_experiment(folder);
  ASSERT_EQ(two["groups"].size(), 2U);
  EXPECT_EQ(two["groups"][1]["runs"][0]["seed"], 1);
  enter(folder, "aa", 0);
  EXPECT_EQ(read_experiment(folder), two);
}

TEST(ExperimentFolder, AVariantInTwoCellsIsListedAsTwo) {
  const TemporaryFolder folder;
  VariantRuns one{"wide", R"({"n": 1})", {{"aa", 0}}}, other{"wide", R"({"n": 2})", {{"bb", 0}}};
  one.cell = {{"model.n", "1"}, {"model.norm", R"("pre")"}};
  other.cell = {{"model.n", "2"}, {"model.norm", R"("pre")"}};
  enter(folder, one);
  const std::vector<RunGroup> groups = enter(folder, other);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups.front().cell, other.cell);
  EXPECT_EQ(read_experiment(folder)["variants"][1]["cell"],
            (nlohmann::json{{"model.n", 2}, {"model.norm", "pre"}}));
  EXPECT_EQ(enter(folder, one).front().cell, one.cell) << "as it is read back";
}

TEST(ExperimentFolder, ARunThatTwoVariantsNameIsEnteredOnce) {
  const TemporaryFolder folder;
  const VariantRuns a{"a", "{}", {{"aa", 0}}}, b{"b", "{}", {{"aa", 0}, {"bb", 1}}};
  ExperimentFolder(folder.file("e")).enter({"{}", "{}", kEnvironment}, {a, b});
  const nlohmann::json groups = read_experiment(folder)["groups"];
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1]["runs"], (nlohmann::json{{{"run", "bb"}, {"seed", 1}}}));
}

/// Of version 1, to which cells were parts of names.
TEST(ExperimentFolder, AnOlderOneIsReadAndTakesNoCells) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("e/records"));
  folder.write("e/experiment.json", R"({"schema": 1, "config": {}, "identity": {},
      "environment": {}, "variants": [{"name": "a n=1", "identity": {}}],
      "groups": [{"records": "records/aa.jsonl", "variant": "a n=1",
                  "runs": [{"run": "aa", "seed": 0}]}]})");
  VariantRuns variant{"a n=1", "{}", {{"aa", 0}}};
  const ExperimentFolder experiment(folder.file("e"));
  EXPECT_EQ(experiment.enter({"{}", "{}", kEnvironment}, {variant}).front().variant, "a n=1");
  variant.name = "a";
  variant.cell = {{"n", "1"}};
  EXPECT_NE(user_error([&] {
              experiment.enter({"{}", "{}", kEnvironment}, {variant});
            }).find("was written by an older qkvlab"),
            std::string::npos);
}

TEST(ExperimentFolder, SeveralProcessesMayEnterRunsAtOnce) {
  const TemporaryFolder folder;
  constexpr int kProcesses = 8;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(fork_child([&] {
      for (int j = 0; j < 5; ++j) enter(folder, std::to_string(i) + "-" + std::to_string(j), j);
      return true;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for_child(child), 0);
  EXPECT_EQ(read_experiment(folder)["groups"].size(), 40U);
}

TEST(ExperimentFolder, RefusesAnotherExperimentAndNamesTheDifference) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  folder.write("e/records/aa.jsonl", "{}\n");
  const std::string before = TemporaryFolder::read(folder.file("e/experiment.json"));
  const std::string complaint = user_error([&] { enter(folder, "bb", 0, R"({"lr": 0.1})"); });
  EXPECT_EQ(complaint, folder.file("e") +
                           ": holds another experiment: lr is 0.3 there, 0.1 here; "
                           "choose another folder with --out");
  EXPECT_EQ(TemporaryFolder::read(folder.file("e/experiment.json")), before);
}

TEST(ExperimentFolder, RefusesAnotherVariantOfTheSameName) {
  const TemporaryFolder folder;
  enter(folder, VariantRuns{"wide", R"({"ratio": 4})", runs(0, 2), 2});
  folder.write("e/records/r0.jsonl", "{}\n");
  const std::string complaint = user_error([&] {
    enter(folder, VariantRuns{"wide", R"({"ratio": 8})", runs(2, 3), 2});
  });
  EXPECT_NE(complaint.find("holds another variant wide: ratio is 4 there, 8 here"),
            std::string::npos);
}

// As a command leaves a folder that is refused after it has entered its runs.
TEST(ExperimentFolder, WhatNothingWasRecordedOfIsNoOtherExperiment) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  folder.write("e/records/aa.jsonl", "");
  enter(folder, "bb", 0, R"({"lr": 0.1})");
  nlohmann::json there = read_experiment(folder);
  EXPECT_EQ(there["identity"], nlohmann::json({{"lr", 0.1}}));
  ASSERT_EQ(there["groups"].size(), 1U);
  EXPECT_EQ(there["groups"][0]["runs"][0]["run"], "bb");
  // Nor is a variant another one.
  const std::string lr = R"({"lr": 0.1})";
  enter(folder, VariantRuns{"wide", R"({"ratio": 4})", {{"cc", 0}}, 1}, lr);
  enter(folder, VariantRuns{"wide", R"({"ratio": 8})", {{"dd", 0}}, 1}, lr);
  there = read_experiment(folder);
  EXPECT_EQ(there["variants"][1]["identity"], nlohmann::json({{"ratio", 8}}));
  ASSERT_EQ(there["groups"].size(), 2U);
  EXPECT_EQ(there["groups"][1]["runs"][0]["run"], "dd");
  // A checkpoint is worth as much as records.
  folder.write("e/checkpoints/dd.json", "{}");
  EXPECT_NE(user_error([&] {
              enter(folder, VariantRuns{"wide", R"({"ratio": 2})", {{"ee", 0}}, 1}, lr);
            }).find("another variant wide"),
            std::string::npos);
}

TEST(ExperimentFolder, ALockThatCannotBeHadIsAnError) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("e/.lock"));
  EXPECT_EQ(user_error([&] { enter(folder, "aa", 0); }),
            folder.file("e/.lock") + ": cannot be written: Is a directory");
  EXPECT_FALSE(std::filesystem::exists(folder.file("e/experiment.json")));
}

TEST(ExperimentFolder, TheLockIsAFileThatIsOpenForWriting) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  EXPECT_TRUE(std::filesystem::is_regular_file(folder.file("e/.lock")));
  const Descriptor held(open(folder.file("e/.lock").c_str(), O_RDWR));
  ASSERT_EQ(flock(held.get(), LOCK_EX), 0);
  const pid_t child = fork_child([&] {
    enter(folder, "bb", 1);
    return true;
  });
  usleep(200'000);
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it waits for the lock";
  ASSERT_EQ(flock(held.get(), LOCK_UN), 0);
  EXPECT_EQ(wait_for_child(child), 0);
  EXPECT_EQ(read_experiment(folder)["groups"].size(), 2U);
}

// As variants leave it whose configs differ in nothing that decides results.
TEST(ExperimentFolder, ARunOfTwoVariantsIsEnteredOnce) {
  const TemporaryFolder folder;
  const ExperimentFolder experiment(folder.file("e"));
  const auto groups = experiment.enter(
      {"{}", "{}", kEnvironment},
      {VariantRuns{"a", "{}", runs(0, 2), 2}, VariantRuns{"b", "{}", runs(0, 2), 2}});
  EXPECT_EQ(groups.size(), 1U);
  EXPECT_EQ(read_experiment(folder)["groups"].size(), 1U);
}

TEST(ExperimentFolder, GroupsStayAsTheyWereEntered) {
  const TemporaryFolder folder;
  const auto sizes = [](const std::vector<RunGroup>& groups) {
    std::vector<size_t> all;
    for (const RunGroup& group : groups) all.push_back(group.runs.size());
    return all;
  };
  EXPECT_EQ(sizes(enter(folder, {"full", "{}", runs(0, 7), 3})), (std::vector<size_t>{2, 2, 3}));
  // With another size of groups, what is there stays and only what is new is dealt.
  const auto groups = enter(folder, {"full", "{}", runs(0, 12), 5});
  EXPECT_EQ(sizes(groups), (std::vector<size_t>{2, 2, 3, 5}));
  EXPECT_EQ(groups.back().name(), "r7");
  // Those that hold what is asked for, and no others.
  EXPECT_EQ(sizes(enter(folder, {"full", "{}", runs(6, 8), 1})), (std::vector<size_t>{3, 5}));
}

TEST(ExperimentFolder, RefusesTheFolderOfANewerVersion) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  std::string text = TemporaryFolder::read(folder.file("e/experiment.json"));
  text.replace(text.find("\"schema\": 2"), 11, "\"schema\": 3");
  folder.write("e/experiment.json", text);
  EXPECT_NE(user_error([&] { enter(folder, "bb", 1); }).find("was written by a newer qkvlab"),
            std::string::npos);
}

TEST(ExperimentFolder, RecordsOfNobodyKnowsWhatAreNotMixedWithOthers) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  folder.write("e/records/aa.jsonl", "");
  std::filesystem::remove(folder.file("e/experiment.json"));
  EXPECT_NE(
      user_error([&] { enter(folder, "aa", 0); }).find("no experiment.json that describes them"),
      std::string::npos);
}

TEST(ExperimentFolder, AnIdLeadsToNoOtherFolder) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  std::string text = TemporaryFolder::read(folder.file("e/experiment.json"));
  text.replace(text.find("{\"run\": \"aa\""), 12, "{\"run\": \"../aa\"");
  folder.write("e/experiment.json", text);
  EXPECT_NE(user_error([&] { enter(folder, "bb", 0); }).find("must be the id of a run"),
            std::string::npos);
}

TEST(ExperimentFolder, AFileInTheWayIsTheUsersToMove) {
  const TemporaryFolder folder;
  folder.write("e", "");
  EXPECT_NE(user_error([&] {
              enter(folder, "aa", 0);
            }).find("e/records: cannot be written: Not a directory"),
            std::string::npos);
}

}  // namespace
}  // namespace qkvlab
