#pragma once

#include <filesystem>
#include <string>

namespace qkvlab {

/// The folder of the running executable (`bin/` of a build folder or an installed tree).
std::filesystem::path executable_directory();

/// The folder that holds `data/` and `configs/` as they were shipped: `../share/qkvlab` beside the
/// executable's own folder, in a build folder and in an installed tree alike.
std::filesystem::path shared_directory();

/// Finds an input file: `path` as given (absolute, or relative to the working directory), else
/// below shared_directory(). Throws UserError naming every place that was tried.
std::string find_input_file(const std::string& path);

}  // namespace qkvlab
