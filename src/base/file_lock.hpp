#pragma once

#include <functional>
#include <string>

#include "base/descriptor.hpp"

namespace qkvlab {

enum class LockResult {
  kLocked,
  kBusy,         // somebody else has the lock, and it was not waited for
  kNotSupported  // the file system has no locks
};

enum class LockWait { kUntilFree, kNot };

/// Locks an open file against every other process that does so, until it is closed. It must be open
/// for writing: network file systems refuse other files. Throws UserError naming `path` where that
/// fails, but for a file system without locks. `lock` is flock(2).
LockResult lock_file(const Descriptor& file, const std::string& path, LockWait wait,
                     const std::function<int(int, int)>& lock = nullptr);

/// What is to be said of a folder without locks.
std::string no_locks_warning(const std::string& folder);

}  // namespace qkvlab
