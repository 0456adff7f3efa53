#pragma once

#include <functional>

namespace qkvlab {

/// The body of both executables' main: runs it and turns what it throws into one line on stderr,
/// which begins "qkvlab: error: ", and an exit code; what is no UserError and not for want of
/// memory is a fault of the program itself (ExitCode::kFault). The only place that catches.
int run_main(const std::function<void()>& body);

}  // namespace qkvlab
