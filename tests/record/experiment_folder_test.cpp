#include "record/experiment_folder.hpp"

#include <nlohmann/json.hpp>

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

nlohmann::json read(const TemporaryFolder& folder) {
  return nlohmann::json::parse(TemporaryFolder::read(folder.file("e/experiment.json")));
}

TEST(ExperimentFolder, SaysWhatTheExperimentIs) {
  const TemporaryFolder folder;
  enter(folder, "aa", 3);
  const nlohmann::json expected = {{"schema", 1},
                                   {"config", {{"name", "注"}}},
                                   {"identity", {{"lr", 0.3}}},
                                   {"environment", {{"libtorch", "1.13"}}},
                                   {"variants", {{{"name", "full"}, {"identity", {{"lr", 0.3}}}}}},
                                   {"groups",
                                    {{{"records", "records/aa.jsonl"},
                                      {"variant", "full"},
                                      {"runs", {{{"run", "aa"}, {"seed", 3}}}}}}}};
  EXPECT_EQ(read(folder), expected);
  EXPECT_TRUE(std::filesystem::is_directory(folder.file("e/records")));
  EXPECT_TRUE(std::filesystem::is_directory(folder.file("e/checkpoints")));
}

TEST(ExperimentFolder, TakesFurtherRunsAndEachOnce) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  enter(folder, "bb", 1);
  const nlohmann::json two = read(folder);
  ASSERT_EQ(two["groups"].size(), 2U);
  EXPECT_EQ(two["groups"][1]["runs"][0]["seed"], 1);
  enter(folder, "aa", 0);
  EXPECT_EQ(read(folder), two);
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
  EXPECT_EQ(read(folder)["groups"].size(), 40U);
}

TEST(ExperimentFolder, RefusesAnotherExperimentAndNamesTheDifference) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  const std::string before = TemporaryFolder::read(folder.file("e/experiment.json"));
  const std::string complaint = user_error([&] { enter(folder, "bb", 0, R"({"lr": 0.1})"); });
  EXPECT_EQ(complaint, folder.file("e") +
                           ": holds another experiment: lr is 0.3 there, 0.1 here; "
                           "choose another folder with --out (ablate finds one with --force-new)");
  EXPECT_EQ(TemporaryFolder::read(folder.file("e/experiment.json")), before);
}

TEST(ExperimentFolder, RefusesAnotherVariantOfTheSameName) {
  const TemporaryFolder folder;
  enter(folder, VariantRuns{"wide", R"({"ratio": 4})", runs(0, 2), 2});
  const std::string complaint = user_error([&] {
    enter(folder, VariantRuns{"wide", R"({"ratio": 8})", runs(2, 3), 2});
  });
  EXPECT_NE(complaint.find("holds another variant wide: ratio is 4 there, 8 here"),
            std::string::npos);
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
  text.replace(text.find("\"schema\": 1"), 11, "\"schema\": 2");
  folder.write("e/experiment.json", text);
  EXPECT_NE(user_error([&] { enter(folder, "bb", 1); }).find("was written by a newer qkvlab"),
            std::string::npos);
}

TEST(ExperimentFolder, RecordsOfNobodyKnowsWhatAreNotMixedWithOthers) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  folder.write("e/records/aa.jsonl", "");
  std::filesystem::remove(folder.file("e/experiment.json"));
  EXPECT_NE(user_error([&] { enter(folder, "aa", 0); }).find("no experiment.json that describes them"),
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
  EXPECT_NE(user_error([&] { enter(folder, "aa", 0); }).find("e/records: cannot be created"),
            std::string::npos);
}

}  // namespace
}  // namespace qkvlab
