#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"

namespace qkvlab {

namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr mode_t kNewFileMode = 0666;  // less the umask
// Who may read, write and run a file. Running it as its owner (setuid) is not for new content.
constexpr mode_t kPermissionBits = 0777;
constexpr const char* kAccessList = "system.posix_acl_access";

/// What `path` names after all symbolic links, which may lead to nothing but not in a circle.
std::string follow_links(const std::string& path) {
  fs::path target = path;
  std::error_code error;
  while (fs::is_symlink(target, error)) {
    target = target.parent_path() / fs::read_symlink(target, error);
    if (error) fail_creating(path, error.value());
  }
  return target.string();
}

/// Where the kernel shows an open file, whether it has a name or not.
std::string descriptor_path(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

constexpr std::chrono::minutes kAbandonedAfter(1);
constexpr std::string_view kTemporaryPrefix = ".qkvlab-";

/// Calls `create` with one temporary name after the other until one is free; returns that name, or
/// nothing (with errno set) where creating fails for another reason.
template <typename Create>
std::string with_free_name(const std::string& folder, const Create& create) {
  for (int i = 0;; ++i) {
    std::string name = folder + "/" + std::string(kTemporaryPrefix) + std::to_string(getpid()) +
                       "-" + std::to_string(i) + ".tmp";
    if (create(name.c_str()) >= 0) return name;
    if (errno != EEXIST) return {};
  }
}

/// The access list of a file as the kernel holds it; empty where it has none.
std::string access_list_of(const std::string& path) {
  const ssize_t size = getxattr(path.c_str(), kAccessList, nullptr, 0);
  std::string list(static_cast<size_t>(std::max<ssize_t>(size, 0)), '\0');
  return getxattr(path.c_str(), kAccessList, list.data(), list.size()) == size ? list : "";
}

/// Gives a new file the owner, group, permissions and access list of the file `from`. Another owner
/// than oneself only root can give. A group that cannot be given is not replaced by another one:
/// then only the permissions of everybody are left. Returns 0, or the errno of what failed.
int copy_access(const std::string& from, const struct stat& status, int to) {
  mode_t mode = status.st_mode & kPermissionBits;
  std::string list = access_list_of(from);
  if (fchown(to, status.st_uid, status.st_gid) != 0 &&
      fchown(to, static_cast<uid_t>(-1), status.st_gid) != 0) {
    mode = (mode & ~mode_t{S_IRWXG}) | ((mode & S_IRWXO) << 3);
    list.clear();
  }
  if (fchmod(to, mode) != 0) return errno;
  // The folder may have given it a list.
  const int failed = list.empty() ? fremovexattr(to, kAccessList)
                                  : fsetxattr(to, kAccessList, list.data(), list.size(), 0);
  return failed == 0 || errno == ENODATA || errno == ENOTSUP ? 0 : errno;
}

/// An open file without a name, or -1 where that is not to be had.
int open_unnamed(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kNewFileMode);
  if (descriptor < 0) return -1;
  // Without /proc it could never be given a name.
  if (access(descriptor_path(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat status {};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail_creating(path_, errno);
  if (exists && S_ISDIR(status.st_mode)) fail_creating(path_, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    straight_through_ = true;
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) fail_creating(path_, errno);
    return;
  }
  target_ = follow_links(path_);
  if (fs::path(target_).filename().empty()) fail_creating(path_, ENOENT);
  // Renaming would replace even a file that its owner has protected.
  if (exists && access(target_.c_str(), W_OK) != 0) fail_creating(path_, errno);

  const std::string folder = folder_of(target_);
  descriptor_ = open_unnamed(folder);
  if (descriptor_ < 0) {
    temporary_name_ = with_free_name(folder, [&](const char* name) {
      return descriptor_ = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode);
    });
    if (descriptor_ < 0) fail_creating(path_, errno);
  }
  if (const int error = exists ? copy_access(target_, status, descriptor_) : 0; error != 0) {
    discard();
    fail_creating(path_, error);
  }
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  if (!temporary_name_.empty()) unlink(temporary_name_.c_str());
  temporary_name_.clear();
}

void AtomicFile::write(std::string_view bytes) {
  if (descriptor_ < 0) throw std::logic_error("a committed file cannot be written");
  if (buffer_.size() + bytes.size() < kBufferBytes) {
    buffer_ += bytes;
    return;
  }
  flush();
  if (const int error = write_all(descriptor_, bytes); error != 0) fail_writing(path_, error);
}

void AtomicFile::flush() {
  if (const int error = write_all(descriptor_, buffer_); error != 0) fail_writing(path_, error);
  buffer_.clear();
}

void AtomicFile::commit() {
  if (descriptor_ < 0) throw std::logic_error("a file can be committed only once");
  flush();
  if (!straight_through_) {
    if (fsync(descriptor_) != 0) fail_writing(path_, errno);
    const std::string folder = folder_of(target_);
    if (temporary_name_.empty()) {
      const std::string source = descriptor_path(descriptor_);
      temporary_name_ = with_free_name(folder, [&](const char* name) {
        return linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
      });
      if (temporary_name_.empty()) fail_writing(path_, errno);
    }
    if (std::rename(temporary_name_.c_str(), target_.c_str()) != 0) fail_writing(path_, errno);
    temporary_name_.clear();
    if (const int error = sync_folder_of(target_); error != 0) fail_writing(path_, error);
  }
  discard();
}

void remove_abandoned_files(const std::string& folder) {
  for_each_entry(folder, [](const fs::directory_entry& entry) {
    std::error_code ignored;
    const std::string name = entry.path().filename().string();
    if (name.rfind(kTemporaryPrefix, 0) != 0) return;
    const std::string rest = name.substr(kTemporaryPrefix.size());
    const auto process = parse_integer(rest.substr(0, rest.find('-')));
    const bool dead = process && kill(static_cast<pid_t>(*process), 0) != 0 && errno == ESRCH;
    // Of another machine that shares the folder the number says nothing, but its age does.
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
    if (dead && age > kAbandonedAfter) fs::remove(entry.path(), ignored);
  });
}

}  // namespace qkvlab
