#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>

#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

void write_file(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

mode_t permissions(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

bool has_unnamed_files(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (descriptor >= 0) close(descriptor);
  return descriptor >= 0;
}

/// Runs `action` in a process of its own and returns its wait status; it exits with 0 after true.
int run_in_child(const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) _exit(action() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

class AtomicFileTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("result.json");
};

TEST_F(AtomicFileTest, HoldsAllThatWasWrittenInOrder) {
  std::string expected;
  AtomicFile file(path_);
  for (int i = 0; i < 300000; ++i) {  // more than the buffer holds
    const std::string line = "line " + std::to_string(i) + "\n";
    file.write(line);
    expected += line;
  }
  const std::string large(5000000, 'x');
  file.write(large);
  file.commit();
  EXPECT_EQ(TemporaryFolder::read(path_), expected + large);
  EXPECT_EQ(folder_.entries(), Names{"result.json"});
}

TEST_F(AtomicFileTest, MayBeEmpty) {
  write_file(path_, "");
  EXPECT_TRUE(fs::is_empty(path_));
}

TEST_F(AtomicFileTest, NothingIsVisibleBeforeCommit) {
  if (!has_unnamed_files(folder_.path())) GTEST_SKIP() << "no O_TMPFILE here";
  AtomicFile file(path_);
  file.write(std::string(3000000, 'x'));
  EXPECT_EQ(folder_.entries(), Names{});
  file.commit();
  EXPECT_EQ(folder_.entries(), Names{"result.json"});
}

TEST_F(AtomicFileTest, WithoutCommitTheOldContentStaysAndNothingElse) {
  folder_.write("result.json", "old");
  {
    AtomicFile file(path_);
    file.write(std::string(3000000, 'x'));
    EXPECT_EQ(TemporaryFolder::read(path_), "old");
  }
  EXPECT_EQ(TemporaryFolder::read(path_), "old");
  EXPECT_EQ(folder_.entries(), Names{"result.json"});
}

TEST_F(AtomicFileTest, AReaderOfTheOldFileKeepsReadingIt) {
  folder_.write("result.json", "old");
  std::ifstream reader(path_);
  write_file(path_, "new");
  std::string content;
  reader >> content;
  EXPECT_EQ(content, "old");
  EXPECT_EQ(TemporaryFolder::read(path_), "new");
}

TEST_F(AtomicFileTest, AKilledWriterLeavesNothingBehind) {
  if (!has_unnamed_files(folder_.path())) GTEST_SKIP() << "no O_TMPFILE here";
  const int status = run_in_child([&] {
    AtomicFile file(path_);
    file.write(std::string(3000000, 'x'));
    return raise(SIGKILL) == 0;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder_.entries(), Names{});
}

TEST_F(AtomicFileTest, WithoutProcItTakesATemporaryName) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may change its root folder";
  folder_.write("result.json", "old");
  const int status = run_in_child([&] {
    if (chroot(folder_.path().c_str()) != 0) return false;
    AtomicFile kept("/kept");
    kept.write(std::string(3000000, 'x'));
    AtomicFile dropped("/result.json");  // a second name at the same time
    dropped.write("new");
    if (std::distance(fs::directory_iterator("/"), {}) != 3) return false;
    kept.commit();
    return true;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(TemporaryFolder::read(path_), "old");
  EXPECT_EQ(TemporaryFolder::read(folder_.file("kept")), std::string(3000000, 'x'));
  EXPECT_EQ(folder_.entries().size(), 2u);
}

TEST_F(AtomicFileTest, LeftoversOfTheSameProcessNumberDoNotStandInTheWay) {
  const std::string leftover = ".qkvlab-" + std::to_string(getpid()) + "-0.tmp";
  folder_.write(leftover, "someone else's");
  write_file(path_, "new");
  EXPECT_EQ(TemporaryFolder::read(path_), "new");
  EXPECT_EQ(TemporaryFolder::read(folder_.file(leftover)), "someone else's");
}

TEST_F(AtomicFileTest, AFullDiskFailsTheRunAndNamesTheFile) {
  EXPECT_EQ(user_error([] { write_file("/dev/full", "x"); }, ExitCode::kFailed),
            "/dev/full: cannot be written: No space left on device");
}

TEST_F(AtomicFileTest, AMissingFolderIsAMistakeOfTheUser) {
  const std::string path = folder_.file("none/result.json");
  EXPECT_EQ(user_error([&] { AtomicFile file(path); }),
            path + ": cannot be written: No such file or directory");
}

TEST_F(AtomicFileTest, AFolderIsNoFile) {
  EXPECT_EQ(user_error([&] { AtomicFile file(folder_.path()); }),
            folder_.path() + ": cannot be written: Is a directory");
}

TEST_F(AtomicFileTest, AnEmptyNameIsRefusedAtOnce) {
  EXPECT_EQ(user_error([] { AtomicFile file(""); }),
            ": cannot be written: No such file or directory");
  user_error([&] { AtomicFile file(folder_.file("none/")); });
}

TEST_F(AtomicFileTest, AProtectedFileIsRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everything";
  folder_.write("result.json", "old");
  chmod(path_.c_str(), 0444);
  EXPECT_EQ(user_error([&] { AtomicFile file(path_); }),
            path_ + ": cannot be written: Permission denied");
}

TEST_F(AtomicFileTest, AFileInTheWorkingFolderNeedsNoFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  write_file("result.json", "new");
  fs::current_path(before);
  EXPECT_EQ(TemporaryFolder::read(path_), "new");
}

TEST_F(AtomicFileTest, ASymbolicLinkStaysAndItsTargetIsWritten) {
  fs::create_directory(folder_.file("deep"));
  const std::string target = folder_.write("deep/target", "old");
  fs::create_symlink("deep/second", path_);                   // relative to the link's folder
  fs::create_symlink("target", folder_.file("deep/second"));  // a link to a link
  write_file(path_, "new");
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_TRUE(fs::is_symlink(folder_.file("deep/second")));
  EXPECT_EQ(TemporaryFolder::read(target), "new");
}

TEST_F(AtomicFileTest, ALinkToNothingCreatesItsTarget) {
  fs::create_symlink("later", path_);
  write_file(path_, "new");
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(TemporaryFolder::read(folder_.file("later")), "new");
}

TEST_F(AtomicFileTest, LinksInACircleAreRefused) {
  fs::create_symlink("b", folder_.file("a"));
  fs::create_symlink("a", folder_.file("b"));
  EXPECT_EQ(user_error([&] { AtomicFile file(folder_.file("a")); }),
            folder_.file("a") + ": cannot be written: Too many levels of symbolic links");
}

TEST_F(AtomicFileTest, PermissionsOfAnExistingFileStay) {
  folder_.write("result.json", "old");
  chmod(path_.c_str(), 0640);
  write_file(path_, "new");
  EXPECT_EQ(permissions(path_), 0640u);
}

TEST_F(AtomicFileTest, ANewFileFollowsTheUmask) {
  for (const mode_t mask : {mode_t{022}, mode_t{077}}) {
    const mode_t before = umask(mask);
    const std::string path = folder_.file("umask" + std::to_string(mask));
    write_file(path, "new");
    umask(before);
    EXPECT_EQ(permissions(path), 0666u & ~mask);
  }
}

TEST_F(AtomicFileTest, APipeIsWrittenStraightThrough) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = TemporaryFolder::read(path_); });
  write_file(path_, "through the pipe");
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  EXPECT_EQ(folder_.entries(), Names{"result.json"});
  write_file("/dev/null", "x");
}

TEST_F(AtomicFileTest, AfterCommitNothingMoreCanBeWritten) {
  AtomicFile file(path_);
  file.commit();
  EXPECT_THROW(file.write("x"), std::logic_error);
  EXPECT_THROW(file.commit(), std::logic_error);
}

TEST(AtomicFile, OnlyWhatProcessesThatAreGoneHaveLeftIsRemoved) {
  const TemporaryFolder folder;
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  const std::string abandoned = ".qkvlab-" + std::to_string(gone) + "-0.tmp";
  const std::string recent = ".qkvlab-" + std::to_string(gone) + "-1.tmp";
  folder.write(recent, "x");
  std::filesystem::last_write_time(folder.write(abandoned, "x"), long_ago);
  const std::string alive = ".qkvlab-" + std::to_string(getpid()) + "-0.tmp";
  std::filesystem::last_write_time(folder.write(alive, "x"), long_ago);
  folder.write(".qkvlab-notes", "x");
  remove_abandoned_files(folder.path());
  std::vector<std::string> left = folder.entries();
  std::sort(left.begin(), left.end());
  std::vector<std::string> expected = {alive, recent, ".qkvlab-notes"};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(left, expected);
}

}  // namespace
}  // namespace qkvlab
