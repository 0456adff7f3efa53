#include "cli/run_main.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "cli/talk.hpp"

namespace qkvlab {

namespace {

constexpr const char* kOutOfMemory = "out of memory";

/// LibTorch's messages carry a stack trace from the second line on.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

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
  try {
    body();
    return static_cast<int>(ExitCode::kDone);
  } catch (const UserError& error) {
    say_error(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    say_error(kOutOfMemory);
    return static_cast<int>(ExitCode::kFailed);
  } catch (const std::exception& error) {
    if (tells_of_memory(error.what())) {
      say_error(kOutOfMemory);
      return static_cast<int>(ExitCode::kFailed);
    }
    say_error("qkvlab failed, which is a fault of its own: " + first_line(error.what()));
  } catch (...) {
    say_error("qkvlab failed, which is a fault of its own: an exception of an unknown kind");
  }
  return static_cast<int>(ExitCode::kFault);
}

}  // namespace qkvlab
