#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qkvlab {

/// The folder of the running executable (`bin/` of a build folder or an installed tree).
std::filesystem::path executable_directory();

/// The folder that holds `data/` and `configs/` as they were shipped: `../share/qkvlab` beside the
/// executable's own folder, in a build folder and in an installed tree alike.
std::filesystem::path shared_directory();

/// Calls `visit` with every entry of a folder. What cannot be listed, or no longer, is passed over.
void for_each_entry(const std::filesystem::path& folder,
                    const std::function<void(const std::filesystem::directory_entry&)>& visit);

/// An input file that was looked for.
struct FoundFile {
  std::optional<std::string> path;  // nothing: it is nowhere
  std::string complaint;            // then: "no such file; tried A, B and C"
};

/// Looks for an input file: `path` as given (absolute, or relative to the working directory), else
/// below one of `folders`, else below shared_directory().
FoundFile look_for_input_file(const std::string& path,
                              const std::vector<std::filesystem::path>& folders = {});

/// The path of look_for_input_file. Throws UserError naming every place that was tried.
std::string find_input_file(const std::string& path);

}  // namespace qkvlab
