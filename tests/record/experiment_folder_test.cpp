#include "record/experiment_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

const std::vector<std::pair<std::string, std::string>> kEnvironment = {{"libtorch", "1.13"}};

void enter(const TemporaryFolder& folder, const std::string& run, int64_t seed,
           const std::string& identity = R"({"lr": 0.3})") {
  ExperimentFolder(folder.file("e"))
      .enter({run, "full", seed}, R"({"name": "注"})", identity, kEnvironment);
}

nlohmann::json read(const TemporaryFolder& folder) {
  return nlohmann::json::parse(TemporaryFolder::read(folder.file("e/experiment.json")));
}

TEST(ExperimentFolder, SaysWhatTheExperimentIs) {
  const TemporaryFolder folder;
  enter(folder, "aa", 3);
  const nlohmann::json expected = {
      {"schema", 1},
      {"config", {{"name", "注"}}},
      {"identity", {{"lr", 0.3}}},
      {"environment", {{"libtorch", "1.13"}}},
      {"groups",
       {{{"records", "records/aa.jsonl"},
         {"runs", {{{"run", "aa"}, {"variant", "full"}, {"seed", 3}}}}}}}};
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
  for (int i = 0; i < kProcesses; ++i) {
    if (fork() == 0) {
      for (int j = 0; j < 5; ++j) enter(folder, std::to_string(i) + "-" + std::to_string(j), j);
      _exit(0);
    }
  }
  for (int i = 0; i < kProcesses; ++i) wait(nullptr);
  EXPECT_EQ(read(folder)["groups"].size(), 40U);
}

TEST(ExperimentFolder, RefusesAnotherExperimentAndNamesTheDifference) {
  const TemporaryFolder folder;
  enter(folder, "aa", 0);
  const std::string before = TemporaryFolder::read(folder.file("e/experiment.json"));
  const std::string complaint = user_error([&] { enter(folder, "bb", 0, R"({"lr": 0.1})"); });
  EXPECT_EQ(complaint, folder.file("e") +
                           ": holds another experiment: lr is 0.3 there, 0.1 here; "
                           "choose another folder with --out");
  EXPECT_EQ(TemporaryFolder::read(folder.file("e/experiment.json")), before);
}

TEST(ExperimentFolder, AFileInTheWayIsTheUsersToMove) {
  const TemporaryFolder folder;
  folder.write("e", "");
  EXPECT_NE(user_error([&] { enter(folder, "aa", 0); }).find("e/records: cannot be created"),
            std::string::npos);
}

}  // namespace
}  // namespace qkvlab
