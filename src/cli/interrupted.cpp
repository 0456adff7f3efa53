#include "cli/interrupted.hpp"

#include <csignal>

#include "cli/talk.hpp"

namespace qkvlab {

ExitCode exit_code_of(int signal) {
  if (signal == 0) return ExitCode::kOutOfTime;
  return signal == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
}

const char* interruption_notice() {
  return is_quiet() ? ""
                    : "\nfinishing this step and saving; a second signal ends at once, without "
                      "saving\n";
}

}  // namespace qkvlab
