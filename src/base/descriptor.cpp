#include "base/descriptor.hpp"

#include <unistd.h>

#include <cerrno>
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

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

void fail_creating(const std::string& path, int error) { fail(path, error, ExitCode::kUsage); }

void fail_writing(const std::string& path, int error) { fail(path, error, ExitCode::kFailed); }

}  // namespace qkvlab
