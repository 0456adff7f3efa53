#include "cli/run_main.hpp"

#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/terminal.hpp"

namespace qkvlab {

namespace {

/// LibTorch's messages carry a stack trace from the second line on.
std::string first_line(std::string_view text) { return printable(text.substr(0, text.find('\n'))); }

/// Takes up the standard streams that are closed, lest the next file that is opened become one of
/// them and receive what is meant for it. Read-only: what is written there must fail, not vanish.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", O_RDONLY);
  }
}

/// LibTorch has exceptions of its own where memory runs out. They are told by their text, since
/// this file does without LibTorch: "DefaultCPUAllocator: can't allocate memory", "CUDA out of
/// memory".
bool tells_of_memory(std::string_view what) {
  return what.find("can't allocate memory") != std::string_view::npos ||
         what.find("out of memory") != std::string_view::npos;
}

}  // namespace

int run_main(const std::function<void()>& body) {
  occupy_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is a failed write, with a message
  // stdout is data, stderr is talk; without colours, on a terminal too.
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "qkvlab", std::make_shared<spdlog::sinks::stderr_sink_st>()));
  spdlog::set_pattern("%v");
  try {
    body();
    return static_cast<int>(ExitCode::kDone);
  } catch (const UserError& error) {
    spdlog::error("{}", printable(error.what()));
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory");
  } catch (const std::exception& error) {
    if (tells_of_memory(error.what())) {
      spdlog::error("out of memory");
    } else {
      spdlog::error("qkvlab failed, which is a fault of its own: {}", first_line(error.what()));
    }
  }
  return static_cast<int>(ExitCode::kFailed);
}

}  // namespace qkvlab
