#include "base/descriptor.hpp"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"

namespace qkvlab {

namespace {

[[noreturn]] void fail(const std::string& path, int error, ExitCode code) {
  throw UserError(path + ": cannot be written: " + std::generic_category().message(error), code);
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

int write_all(int descriptor, std::string_view bytes, WriteCall call) {
  while (!bytes.empty()) {
    const ssize_t count = call(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count == 0) return EIO;
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

int write_all_at(int descriptor, std::string_view bytes, int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(descriptor, bytes.data(), bytes.size(), offset);
    if (count == 0) return EIO;
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      offset += count;
    }
  }
  return 0;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

int sync_folder_of(const std::string& path) {
  const Descriptor folder(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return 0;
  return fsync(folder.get()) == 0 || errno == EINVAL ? 0 : errno;
}

void fail_creating(const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  fail(path, error, full ? ExitCode::kFailed : ExitCode::kUsage);
}

void fail_writing(const std::string& path, int error) { fail(path, error, ExitCode::kFailed); }

}  // namespace qkvlab
