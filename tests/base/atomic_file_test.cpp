#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>

#include "base/descriptor.hpp"
#include "support/child.hpp"
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
int run_in_child(const std::function<bool()>& action) { return wait_for_child(fork_child(action)); }

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
  folder_.write("result.json", "old");
  chmod(path_.c_str(), 0444);
  chmod(folder_.path().c_str(), 0777);
  EXPECT_EQ(run_without_rights([&] {
              return user_error([&] { AtomicFile file(path_); }) ==
                     path_ + ": cannot be written: Permission denied";
            }),
            0);
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

TEST_F(AtomicFileTest, RootWritesAUsersFileAndItStaysTheUsers) {
  folder_.write("result.json", "old");
  chmod(path_.c_str(), 0600);
  if (chown(path_.c_str(), 12345, 23456) != 0) GTEST_SKIP() << "only root may give files away";
  write_file(path_, "new");
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345u);
  EXPECT_EQ(status.st_gid, 23456u);
  EXPECT_EQ(permissions(path_), 0600u);
  EXPECT_EQ(TemporaryFolder::read(path_), "new");
}

TEST_F(AtomicFileTest, NobodyGetsMoreThanTheOldFileGave) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may become somebody else";
  folder_.write("result.json", "old");
  chmod(folder_.path().c_str(), 0777);
  // Somebody may write the file who is neither its owner nor in its group.
  if (chown(path_.c_str(), 12345, 23456) != 0) GTEST_SKIP() << "no such users here";
  chmod(path_.c_str(), 0672);
  EXPECT_EQ(run_without_rights([&] {
              write_file(path_, "new");
              return true;
            }),
            0);
  EXPECT_EQ(TemporaryFolder::read(path_), "new");
  EXPECT_EQ(permissions(path_), 0622u) << "the writer's group is not the one that might read it";
}

TEST_F(AtomicFileTest, NewContentDoesNotRunAsTheOldOnesOwner) {
  folder_.write("result.json", "old");
  chmod(path_.c_str(), 06755);
  write_file(path_, "new");
  EXPECT_EQ(permissions(path_), 0755u);
}

/// An access list as the kernel holds it: user::rw-, user:12345:r--, group::---, mask::r--,
/// other::---
const std::string kAccessList =
    std::string("\2\0\0\0", 4) + std::string("\1\0\6\0\xFF\xFF\xFF\xFF\2\0\4\0\x39\x30\0\0", 16) +
    std::string("\4\0\0\0\xFF\xFF\xFF\xFF\x10\0\4\0\xFF\xFF\xFF\xFF", 16) +
    std::string("\x20\0\0\0\xFF\xFF\xFF\xFF", 8);

std::string access_list(const std::string& path) {
  std::string list(1000, '\0');
  const ssize_t size = getxattr(path.c_str(), "system.posix_acl_access", list.data(), list.size());
  return size < 0 ? "none" : list.substr(0, static_cast<size_t>(size));
}

bool set_access_list(const std::string& path, const char* name) {
  return setxattr(path.c_str(), name, kAccessList.data(), kAccessList.size(), 0) == 0;
}

TEST_F(AtomicFileTest, AnAccessListStays) {
  folder_.write("result.json", "old");
  if (!set_access_list(path_, "system.posix_acl_access")) GTEST_SKIP() << "no access lists here";
  ASSERT_EQ(access_list(path_), kAccessList);
  write_file(path_, "new");
  EXPECT_EQ(access_list(path_), kAccessList);
}

TEST_F(AtomicFileTest, AnAccessListOfTheFolderIsNotAddedToAnOldFile) {
  folder_.write("result.json", "old");
  chmod(path_.c_str(), 0600);
  if (!set_access_list(folder_.path(), "system.posix_acl_default")) {
    GTEST_SKIP() << "no access lists here";
  }
  write_file(path_, "new");
  EXPECT_EQ(access_list(path_), "none");
  EXPECT_EQ(permissions(path_), 0600u);
  write_file(folder_.file("another"), "new");
  EXPECT_NE(access_list(folder_.file("another")), "none") << "a new file gets the folder's";
}

TEST_F(AtomicFileTest, AnotherNameOfTheOldFileKeepsItsContent) {
  folder_.write("result.json", "old");
  fs::create_hard_link(path_, folder_.file("snapshot"));
  write_file(path_, "new");
  EXPECT_EQ(TemporaryFolder::read(path_), "new");
  EXPECT_EQ(TemporaryFolder::read(folder_.file("snapshot")), "old");
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

/// Takes three bytes a call, is interrupted in every other one, and then takes nothing more.
std::string taken;
ssize_t take_little(int, const void* bytes, size_t size) {
  static bool interrupted = false;
  interrupted = !interrupted;
  if (interrupted) {
    errno = EINTR;
    return -1;
  }
  const size_t count = taken.size() < 9 ? std::min<size_t>(size, 3) : 0;
  taken.append(static_cast<const char*>(bytes), count);
  return static_cast<ssize_t>(count);
}

TEST(WriteAll, GoesOnAfterInterruptionsAndShortWrites) {
  taken.clear();
  EXPECT_EQ(write_all(-1, "12345678", take_little), 0);
  EXPECT_EQ(taken, "12345678");
}

TEST(WriteAll, EndsWhereNothingMoreIsTaken) {
  taken.clear();
  EXPECT_EQ(write_all(-1, "1234567890", take_little), EIO);
  EXPECT_EQ(taken, "123456789");
}

}  // namespace
}  // namespace qkvlab
