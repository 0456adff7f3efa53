#include "base/file_lock.hpp"

#include <sys/file.h>

#include <cerrno>
#include <system_error>

#include "base/error.hpp"

namespace qkvlab {

LockResult lock_file(const Descriptor& file, const std::string& path, LockWait wait,
                     const std::function<int(int, int)>& lock) {
  const int operation = wait == LockWait::kNot ? LOCK_EX | LOCK_NB : LOCK_EX;
  for (;;) {
    if ((lock ? lock(file.get(), operation) : flock(file.get(), operation)) == 0) {
      return LockResult::kLocked;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EWOULDBLOCK && wait == LockWait::kNot) return LockResult::kBusy;
    // On Linux ENOTSUP is the same number.
    if (error == EOPNOTSUPP || error == ENOSYS) return LockResult::kNotSupported;
    throw UserError(path + ": cannot be locked: " + std::generic_category().message(error));
  }
}

std::string no_locks_warning(const std::string& folder) {
  return folder +
         ": its file system has no locks; let only one command at a time write into this folder";
}

}  // namespace qkvlab
