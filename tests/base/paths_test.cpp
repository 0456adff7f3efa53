#include "base/paths.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

namespace fs = std::filesystem;

/// Some other working directory, for a while.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::string& path) : previous_(fs::current_path()) {
    fs::current_path(path);
  }
  ~WorkingDirectory() { fs::current_path(previous_); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  fs::path previous_;
};

TEST(Paths, TheExecutablesFolderHoldsThisTest) {
  EXPECT_TRUE(
      fs::equivalent(executable_directory(), fs::canonical("/proc/self/exe").parent_path()));
}

TEST(Paths, TheSharedFolderIsBesideTheExecutablesWhateverTheWorkingDirectory) {
  const fs::path expected = executable_directory().parent_path() / "share" / "qkvlab";
  const WorkingDirectory elsewhere("/");
  EXPECT_EQ(shared_directory(), expected);
}

TEST(Paths, AFileInTheWorkingDirectoryIsFoundAsGiven) {
  const TemporaryFolder folder;
  folder.write("here.json", "{}");
  const WorkingDirectory inside(folder.path());
  EXPECT_EQ(find_input_file("here.json"), "here.json");
  EXPECT_EQ(find_input_file(folder.file("here.json")), folder.file("here.json"));
}

TEST(Paths, AMissingFileNamesEveryPlaceThatWasTried) {
  const TemporaryFolder folder;
  const WorkingDirectory inside(folder.path());
  EXPECT_EQ(user_error([] { find_input_file("data/none.tsv"); }),
            "data/none.tsv: no such file; tried " + fs::current_path().string() +
                "/data/none.tsv and " + shared_directory().string() + "/data/none.tsv");
}

TEST(Paths, OtherFoldersAreTriedInTheirOrderAfterTheWorkingDirectory) {
  const TemporaryFolder here, first, second;
  const WorkingDirectory inside(here.path());
  const std::vector<fs::path> folders = {first.path(), second.path()};
  EXPECT_EQ(look_for_input_file("a.txt", folders).complaint,
            "no such file; tried " + (fs::current_path() / "a.txt").string() + ", " +
                first.file("a.txt") + ", " + second.file("a.txt") + " and " +
                (shared_directory() / "a.txt").string());
  second.write("a.txt", "");
  EXPECT_EQ(look_for_input_file("a.txt", folders).path, second.file("a.txt"));
  first.write("a.txt", "");
  EXPECT_EQ(look_for_input_file("a.txt", folders).path, first.file("a.txt"));
  here.write("a.txt", "");
  EXPECT_EQ(look_for_input_file("a.txt", folders).path, "a.txt");
}

TEST(Paths, AMissingAbsoluteFileIsTriedOnlyOnce) {
  EXPECT_EQ(user_error([] { find_input_file("/none/at/all"); }), "/none/at/all: no such file");
}

TEST(Paths, AnEmptyNameIsNotTheSharedFolder) {
  EXPECT_EQ(user_error([] { find_input_file(""); }), "a file's name must not be empty");
}

TEST(ForEachEntry, VisitsEveryEntry) {
  const TemporaryFolder folder;
  folder.write("a", "");
  folder.write(".b", "");
  std::set<std::string> seen;
  for_each_entry(folder.path(),
                 [&](const auto& entry) { seen.insert(entry.path().filename().string()); });
  EXPECT_EQ(seen, (std::set<std::string>{"a", ".b"}));
}

TEST(ForEachEntry, WhatCannotBeListedIsPassedOver) {
  const auto fail = [](const auto&) { FAIL(); };
  for_each_entry("no such folder", fail);
  for_each_entry("/dev/null", fail);
}

TEST(ForEachEntry, EndsWhereTheFolderCannotBeListedToItsEnd) {
  // More than one system call lists.
  constexpr int kFiles = 400;
  const TemporaryFolder folder;
  for (int i = 0; i < kFiles; ++i) folder.write(std::string(200, 'x') + std::to_string(i), "");
  int seen = 0;
  for_each_entry(folder.path(), [&](const auto&) {
    if (++seen > 1) return;
    // Another file takes the place of the open folder.
    const int other = open("/dev/null", O_RDONLY);
    for (int descriptor = 3; descriptor < other; ++descriptor) {
      std::error_code none;
      const fs::path target = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), none);
      if (target == fs::canonical(folder.path())) dup2(other, descriptor);
    }
    close(other);
  });
  EXPECT_GT(seen, 0);
  EXPECT_LT(seen, kFiles);
}

}  // namespace
}  // namespace qkvlab
