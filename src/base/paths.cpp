#include "base/paths.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

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

void for_each_entry(const std::filesystem::path& folder,
                    const std::function<void(const std::filesystem::directory_entry&)>& visit) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  // Unlike a range's ++, increment() does not throw: after an error the iterator is the end.
  for (; entry != std::filesystem::directory_iterator(); entry.increment(error)) visit(*entry);
}

FoundFile look_for_input_file(const std::string& path,
                              const std::vector<std::filesystem::path>& folders) {
  if (path.empty()) return {std::nullopt, "a file's name must not be empty"};
  if (found(path)) return {path, {}};
  if (std::filesystem::path(path).is_absolute()) return {std::nullopt, "no such file"};
  std::error_code no_working_directory;
  const std::filesystem::path here = std::filesystem::absolute(path, no_working_directory);
  std::vector<std::string> tried = {no_working_directory ? path : here.string()};
  std::vector<std::filesystem::path> all = folders;
  all.push_back(shared_directory());
  for (const std::filesystem::path& folder : all) {
    const std::string candidate = (folder / path).lexically_normal().string();
    if (found(candidate)) return {candidate, {}};
    if (std::find(tried.begin(), tried.end(), candidate) == tried.end()) tried.push_back(candidate);
  }
  std::string list = tried.front();
  for (size_t i = 1; i < tried.size(); ++i) {
    list += (i + 1 == tried.size() ? " and " : ", ") + tried[i];
  }
  return {std::nullopt, "no such file; tried " + list};
}

std::string find_input_file(const std::string& path) {
  FoundFile file = look_for_input_file(path);
  if (!file.path) throw UserError((path.empty() ? "" : path + ": ") + file.complaint);
  return std::move(*file.path);
}

}  // namespace qkvlab
