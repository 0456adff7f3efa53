// `qkvlab`: finds every mistake on the command line, and prints help, without LibTorch, whose
// loading takes 0.4 s. Then it becomes `qkvlab-engine`, since all commands so far need LibTorch.

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "cli/command_line.hpp"
#include "cli/run_main.hpp"

int main(int argc, char** argv) {
  using namespace qkvlab;
  return run_main([&] {
    const Command command = parse_command_line(argc, argv);
    if (std::holds_alternative<NoCommand>(command)) return;
    const std::string engine = executable_directory() / "qkvlab-engine";
    execv(engine.c_str(), argv);
    throw UserError(engine + ": cannot be started: " + std::strerror(errno) +
                        "; is qkvlab built or installed whole?",
                    ExitCode::kFailed);
  });
}
