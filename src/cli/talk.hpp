#pragma once

#include <string_view>

namespace qkvlab {

/// What the program says to people, on stderr: stdout is for data. A line each, without colours;
/// what a terminal would act on is shown harmlessly (printable).

/// Switches notes and progress off (--quiet); warnings and errors stay.
void be_quiet();
bool is_quiet();

/// How things stand.
void note(std::string_view text);

/// What a user should look at, though the command goes on: "qkvlab: warning: …".
void warn(std::string_view text);

/// Why the command, or a part of it, failed: "qkvlab: error: …".
void say_error(std::string_view text);

}  // namespace qkvlab
