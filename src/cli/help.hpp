#pragma once

#include <CLI/App.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace qkvlab {

/// What `--help` prints, in lines of at most `width` columns (but for words that are longer): of
/// the command that `app` has parsed, or of all.
std::string help_text(const CLI::App& app, size_t width);

/// What `qkvlab` alone prints: a few commands to begin with.
std::string short_help(size_t width);

/// Command lines to begin with: of a command, or for "" of the whole program.
const std::vector<std::string>& examples_of(const std::string& command);

}  // namespace qkvlab
