#include "cli/talk.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "base/terminal.hpp"

namespace qkvlab {

namespace {

/// Writes a line at once, so that lines of processes side by side do not mix; without colours.
spdlog::logger logger_with(const char* pattern) {
  spdlog::logger logger("qkvlab", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger.set_pattern(pattern);
  return logger;
}

spdlog::logger& notes() {
  static spdlog::logger logger = logger_with("%v");
  return logger;
}

/// "qkvlab: warning: …" and "qkvlab: error: …".
spdlog::logger& complaints() {
  static spdlog::logger logger = logger_with("qkvlab: %l: %v");
  return logger;
}

}  // namespace

void be_quiet() { notes().set_level(spdlog::level::off); }

bool is_quiet() { return !notes().should_log(spdlog::level::info); }

void note(std::string_view text) { notes().info("{}", printable(text)); }

void warn(std::string_view text) { complaints().warn("{}", printable(text)); }

void say_error(std::string_view text) { complaints().error("{}", printable(text)); }

}  // namespace qkvlab
