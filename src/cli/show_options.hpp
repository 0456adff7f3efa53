#pragma once

#include <CLI/App.hpp>

#include "cli/command_line.hpp"

namespace qkvlab {

/// Adds PATH… and the options of `show`.
void add_show_options(CLI::App* show, ShowCommand& command);

/// Throws UserError where an option has a value that is not allowed.
void check_show_options(const ShowCommand& command);

}  // namespace qkvlab
