#pragma once

#include <functional>

namespace qkvlab {

/// The body of both executables' main: runs it and turns what it throws into one line on stderr and
/// an exit code. The only place that catches.
int run_main(const std::function<void()>& body);

}  // namespace qkvlab
