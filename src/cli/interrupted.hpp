#pragma once

#include "base/error.hpp"

namespace qkvlab {

/// The exit code of a command that `signal` ended, SIGINT or SIGTERM, with everything saved; 0
/// stands for a limit of time.
ExitCode exit_code_of(int signal);

/// What the first signal has written to stderr; nothing under --quiet.
const char* interruption_notice();

}  // namespace qkvlab
