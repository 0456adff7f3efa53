#include "cli/talk.hpp"

#include <cstdio>
#include <string>

#include "base/terminal.hpp"

namespace qkvlab {

namespace {

bool quiet = false;

/// In one call, so that lines of processes side by side do not mix.
void say(const char* prefix, std::string_view text) {
  const std::string line = prefix + printable(text) + '\n';
  // Nobody could be told where this fails.
  if (std::fwrite(line.data(), 1, line.size(), stderr) != line.size()) std::clearerr(stderr);
}

}  // namespace

void be_quiet() { quiet = true; }

bool is_quiet() { return quiet; }

void note(std::string_view text) {
  if (!quiet) say("", text);
}

void warn(std::string_view text) { say("qkvlab: warning: ", text); }

void say_error(std::string_view text) { say("qkvlab: error: ", text); }

}  // namespace qkvlab
