#include "cli/run_main.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <new>
#include <string_view>

#include "base/error.hpp"
#include "base/terminal.hpp"

namespace qkvlab {

namespace {

/// LibTorch's messages carry a stack trace from the second line on.
std::string first_line(std::string_view text) { return printable(text.substr(0, text.find('\n'))); }

}  // namespace

int run_main(const std::function<void()>& body) {
  // stdout is data, stderr is talk.
  spdlog::set_default_logger(spdlog::stderr_color_st("qkvlab"));
  spdlog::set_pattern("%v");
  try {
    body();
    return static_cast<int>(ExitCode::kDone);
  } catch (const UserError& error) {
    spdlog::error("{}", first_line(error.what()));
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory");
  } catch (const std::exception& error) {
    spdlog::error("qkvlab failed, which is a fault of its own: {}", first_line(error.what()));
  }
  return static_cast<int>(ExitCode::kFailed);
}

}  // namespace qkvlab
