#include "base/file_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

class FileLock : public testing::Test {
 protected:
  Descriptor opened() const { return Descriptor(open(path_.c_str(), O_RDWR | O_CREAT, 0600)); }

  /// A flock that fails with these errors, one after the other, and then succeeds.
  std::function<int(int, int)> failing(std::vector<int> errors) {
    return [this, errors = std::move(errors)](int, int operation) {
      operations_.push_back(operation);
      if (operations_.size() > errors.size()) return 0;
      errno = errors[operations_.size() - 1];
      return -1;
    };
  }

  LockResult lock(const std::vector<int>& errors, LockWait wait = LockWait::kUntilFree) {
    operations_.clear();
    return lock_file(opened(), path_, wait, failing(errors));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("lock");
  std::vector<int> operations_;
};

TEST_F(FileLock, KeepsOthersOutUntilItIsClosed) {
  Descriptor one = opened();
  const Descriptor other = opened();
  EXPECT_EQ(lock_file(one, path_, LockWait::kUntilFree), LockResult::kLocked);
  EXPECT_EQ(lock_file(other, path_, LockWait::kNot), LockResult::kBusy);
  one = Descriptor();
  EXPECT_EQ(lock_file(other, path_, LockWait::kNot), LockResult::kLocked);
}

TEST_F(FileLock, ASignalIsNoReasonToGiveUp) {
  EXPECT_EQ(lock({EINTR, EINTR}), LockResult::kLocked);
  EXPECT_EQ(operations_, (std::vector<int>{LOCK_EX, LOCK_EX, LOCK_EX}));
}

TEST_F(FileLock, AFileSystemWithoutLocksIsToldFromAFailure) {
  for (const int error : {ENOTSUP, EOPNOTSUPP, ENOSYS}) {
    EXPECT_EQ(lock({error}), LockResult::kNotSupported) << error;
  }
  for (const int error : {EBADF, ENOLCK, EINVAL, EIO, EACCES, EPERM, ENOENT, EDEADLK}) {
    EXPECT_EQ(user_error([&] { lock({error}); }),
              path_ + ": cannot be locked: " + std::generic_category().message(error));
    EXPECT_NE(user_error([&] { lock({error}, LockWait::kNot); }), "");
  }
}

}  // namespace
}  // namespace qkvlab
