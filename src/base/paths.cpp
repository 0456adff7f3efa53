#include "base/paths.hpp"

#include <system_error>

#include "base/error.hpp"

namespace qkvlab {

namespace {

/// Anything but "there is no such thing": what may not be looked at is found, so that reading it
/// says why.
bool found(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() != std::filesystem::file_type::not_found;
}

}  // namespace

std::filesystem::path executable_directory() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::filesystem::path shared_directory() {
  return (executable_directory() / "../share/qkvlab").lexically_normal();
}

std::string find_input_file(const std::string& path) {
  if (path.empty()) throw UserError("a file's name must not be empty");
  if (found(path)) return path;
  if (std::filesystem::path(path).is_absolute()) throw UserError(path + ": no such file");
  const std::filesystem::path shipped = shared_directory() / path;
  if (found(shipped)) return shipped.string();
  std::error_code no_working_directory;
  const std::filesystem::path here = std::filesystem::absolute(path, no_working_directory);
  throw UserError(path + ": no such file; tried " + (no_working_directory ? path : here.string()) +
                  " and " + shipped.string());
}

}  // namespace qkvlab
