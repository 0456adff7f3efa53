#include "cli/progress.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "cli/talk.hpp"

namespace qkvlab {
namespace {

/// What a child writes to a terminal of `columns` while it makes 300 steps of a millisecond each.
std::string on_terminal(unsigned short columns,
                        const std::vector<std::pair<std::string, std::string>>& environment,
                        const std::function<void()>& before = nullptr) {
  int terminal = -1;
  winsize size{24, columns, 0, 0};
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (before) before();
    {
      Progress progress("step", std::chrono::milliseconds(50));
      for (int64_t step = 1; step <= 300; ++step) {
        usleep(1000);
        progress.show(step, 1000, 2.5, 100, "tokens");
      }
      if (before) {
        progress.note("noted");
        progress.warn("told");
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

/// Whether `text` is what stands on lines of steps, and how many of them.
size_t plain_lines(const std::string& text, const std::string& end_of_line) {
  static const std::regex line(
      R"(step \d+ of 1000, loss 2\.5000, [0-9.]+[kM]? tokens/s, [0-9:]+( s)? left)");
  size_t lines = 0;
  for (size_t begin = 0; begin < text.size(); ++lines) {
    const size_t end = text.find(end_of_line, begin);
    EXPECT_NE(end, std::string::npos) << text;
    if (end == std::string::npos) return lines;
    EXPECT_TRUE(std::regex_match(text.substr(begin, end - begin), line)) << text;
    begin = end + end_of_line.size();
  }
  return lines;
}

TEST(Progress, ATerminalThatCannotDrawOverGetsPlainLines) {
  const std::string text = on_terminal(120, {{"TERM", "dumb"}});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_GE(plain_lines(text, "\r\n"), 2U) << text;
}

TEST(Progress, NoColorLeavesTheBar) {
  const std::string text = on_terminal(120, {{"NO_COLOR", "1"}});
  EXPECT_NE(text.find("\r\x1b[K[##"), std::string::npos) << text;
}

TEST(Progress, WhatIsNoTerminalGetsPlainLinesNowAndThen) {
  testing::internal::CaptureStderr();
  {
    Progress progress("step", std::chrono::milliseconds(30));
    for (int64_t step = 1; step <= 20; ++step) {
      usleep(10'000);
      progress.show(step, 1000, 2.5, 100, "tokens");
    }
  }
  const std::string text = testing::internal::GetCapturedStderr();
  const size_t lines = plain_lines(text, "\n");
  EXPECT_GE(lines, 2U) << text;
  EXPECT_LE(lines, 10U) << "not one for every step: " << text;

  testing::internal::CaptureStderr();
  {
    Progress progress("step");
    for (int64_t step = 1; step <= 20; ++step) progress.show(step, 1000, 2.5);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "by default none in the first seconds";
}

TEST(Progress, QuietSwitchesTheBarAndNotesOffButNoWarning) {
  const std::string text = on_terminal(120, {}, [] { be_quiet(); });
  EXPECT_EQ(text, "qkvlab: warning: told\r\n");
}

}  // namespace
}  // namespace qkvlab
