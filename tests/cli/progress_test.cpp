#include "cli/progress.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

namespace qkvlab {
namespace {

/// What a child writes to a terminal of `columns` while it makes 300 steps of a millisecond each.
std::string on_terminal(unsigned short columns,
                        const std::vector<std::pair<std::string, std::string>>& environment) {
  int terminal = -1;
  winsize size{24, columns, 0, 0};
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    {
      Progress progress("step");
      for (int64_t step = 1; step <= 300; ++step) {
        usleep(1000);
        progress.show(step, 1000, 2.5, 100, "tokens");
      }
    }
    _exit(0);
  }
  std::string text;
  std::vector<char> buffer(4096);
  for (ssize_t count = 0; (count = read(terminal, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  waitpid(child, nullptr, 0);
  close(terminal);
  return text;
}

TEST(Progress, ATerminalHasOneLineThatIsDrawnOverAndClearedInTheEnd) {
  const std::string text = on_terminal(120, {});
  EXPECT_NE(text.find("\r\x1b[K[##"), std::string::npos) << text;
  EXPECT_NE(text.find(" of 1000, loss 2.5000, "), std::string::npos) << text;
  EXPECT_NE(text.find(" tokens/s, "), std::string::npos) << text;
  EXPECT_NE(text.find(" left"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K");
}

TEST(Progress, NoLineIsWiderThanTheTerminal) {
  for (const unsigned short columns : std::vector<unsigned short>{20, 70, 80}) {
    const std::string text = on_terminal(columns, {});
    size_t begin = 0;
    while (begin < text.size()) {
      const size_t end = std::min(text.find("\r\x1b[K", begin), text.size());
      EXPECT_LT(end - begin, static_cast<size_t>(columns) + 3) << text;  // "…" takes three bytes
      begin = end + 4;
    }
  }
}

TEST(Progress, PlainnessIsHonoured) {
  EXPECT_EQ(on_terminal(80, {{"TERM", "dumb"}}).find('\x1b'), std::string::npos);
  EXPECT_EQ(on_terminal(80, {{"NO_COLOR", "1"}}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace qkvlab
