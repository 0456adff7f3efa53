// `qkvlab`: finds every mistake on the command line, prints help, and runs the commands that need
// no LibTorch, whose loading takes 0.4 s. For the others it becomes `qkvlab-engine`.

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/run_main.hpp"

namespace qkvlab {

namespace {

/// Runs a command that needs no LibTorch; false: it needs the engine.
bool run_here(const Command& command) {
  if (const auto* check = std::get_if<CheckCommand>(&command)) {
    run_check(*check);
  } else if (const auto* show = std::get_if<ShowCommand>(&command)) {
    run_show(*show);
  } else if (const auto* schema = std::get_if<SchemaCommand>(&command)) {
    run_schema(*schema);
  } else if (const auto* compare = std::get_if<CompareCommand>(&command)) {
    run_compare(*compare);
  } else if (const auto* report = std::get_if<ReportCommand>(&command)) {
    run_report(*report);
  } else {
    return std::holds_alternative<NoCommand>(command);
  }
  return true;
}

}  // namespace

}  // namespace qkvlab

int main(int argc, char** argv) {
  using namespace qkvlab;
  return run_main([&] {
    if (run_here(parse_command_line(argc, argv))) return;
    const std::string engine = executable_directory() / "qkvlab-engine";
    execv(engine.c_str(), argv);
    throw UserError(engine + ": cannot be started: " + std::strerror(errno) +
                        "; is qkvlab built or installed whole?",
                    ExitCode::kFailed);
  });
}
