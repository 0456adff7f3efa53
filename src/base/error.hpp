#pragma once

#include <stdexcept>
#include <string>

namespace qkvlab {

/// Exit codes of every command.
enum class ExitCode : int {
  kDone = 0,
  kFailed = 1,      // a run failed or diverged, the output could not be written, no memory is left
  kUsage = 2,       // a mistake on the command line or in a file
  kFault = 70,      // a mistake of the program itself (EX_SOFTWARE of sysexits.h)
  kOutOfTime = 75,  // a limit of time ended it, saved: to be run again (EX_TEMPFAIL)
  kInterrupted = 130,  // by Ctrl-C, saved: 128 + SIGINT, as a shell says it
  kTerminated = 143    // by SIGTERM, saved: 128 + SIGTERM
};

/// What a user did wrong, or what their machine refused, in one line for them to read: the file
/// with its line or key path, what is wrong, what is allowed, and the nearest spelling. `main`
/// catches it; else only what goes on without the damaged part (a group of runs, a line of records)
/// and tells of it. Mistakes of the program itself are checks, never this.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message, ExitCode code = ExitCode::kUsage)
      : std::runtime_error(message), code_(code) {}

  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// A check: throws std::logic_error, which says `what` should have held, for a mistake of the
/// program itself.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace qkvlab
