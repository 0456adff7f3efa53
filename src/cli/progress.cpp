#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/clock.hpp"
#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "cli/talk.hpp"
#include "cli/terminal_style.hpp"

namespace qkvlab {

namespace {

constexpr std::chrono::milliseconds kBarEvery(100);
constexpr int64_t kBarWidth = 24;
/// Moves to the start of the line and clears it.
constexpr const char* kFromTheStart = "\r\x1b[K";

/// Four decimals, or where those would hide it two digits.
std::string loss_text(double loss) {
  return std::abs(loss) >= 0.01 || loss == 0 || !std::isfinite(loss) ? fixed(loss, 4)
                                                                     : significant(loss, 2);
}

/// "950", "15.2k" or "1.3M".
std::string rate_text(double rate) {
  if (rate < 1e3) return fixed(rate, 0);
  if (rate < 1e6) return fixed(rate / 1e3, 1) + "k";
  return fixed(rate / 1e6, 1) + "M";
}

std::string bar_text(int64_t done, int64_t total) {
  const int64_t filled = total > 0 ? std::min(kBarWidth, done * kBarWidth / total) : kBarWidth;
  std::string bar = "[";
  for (int64_t i = 0; i < kBarWidth; ++i) bar += i < filled ? '#' : '.';
  return bar + "] ";
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  const auto two = [](int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  const std::string seconds_text = ":" + two(whole % 60);
  if (whole < 3600) return std::to_string(whole / 60) + seconds_text;
  return std::to_string(whole / 3600) + ":" + two(whole / 60 % 60) + seconds_text;
}

Progress::Progress(std::string noun, std::chrono::milliseconds line_every)
    : noun_(std::move(noun)),
      draws_over_(takes_escapes(STDERR_FILENO)),
      every_(draws_over_ ? kBarEvery : line_every),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() { clear_bar(); }

void Progress::show(int64_t done, int64_t total, double loss, int64_t work,
                    const std::string& work_noun) {
  if (first_ < 0) first_ = done - 1;
  work_ += work;
  if (is_due()) draw(done, total, line(done, total, loss, work_noun));
}

void Progress::show(int64_t done, int64_t total, const std::function<std::string()>& text) {
  if (is_due()) draw(done, total, text());
}

bool Progress::is_due() {
  if (is_quiet()) return false;
  const auto now = Clock::now();
  if (now - last_ < every_) return false;
  last_ = now;
  return true;
}

void Progress::draw(int64_t done, int64_t total, const std::string& text) {
  if (!draws_over_) {
    qkvlab::note(text);
    return;
  }
  // A line that wraps could not be drawn over: the bar goes first, then the end of the line.
  const size_t width = terminal_columns(STDERR_FILENO);
  const std::string whole = bar_text(done, total) + printable(text);
  const bool fits = display_width(whole) < width;
  std::fputs((kFromTheStart + shorten(fits ? whole : printable(text), width - 1)).c_str(), stderr);
  std::fflush(stderr);
  has_bar_ = true;
}

void Progress::note(const std::string& text) {
  clear_bar();
  qkvlab::note(text);
}

void Progress::warn(const std::string& text) {
  clear_bar();
  qkvlab::warn(text);
}

void Progress::clear_bar() {
  if (has_bar_) std::fputs(kFromTheStart, stderr);
  has_bar_ = false;
}

std::string Progress::line(int64_t done, int64_t total, double loss,
                           const std::string& work_noun) const {
  const double taken = std::chrono::duration<double>(last_ - start_).count();
  const double left =
      taken / static_cast<double>(done - first_) * static_cast<double>(total - done);
  std::string text = noun_ + " " + std::to_string(done) + " of " + std::to_string(total) +
                     ", loss " + loss_text(loss);
  if (work_ > 0) {
    text += ", " + rate_text(static_cast<double>(work_) / taken) + " " + work_noun + "/s";
  }
  return text + ", " + duration_text(left) + " left";
}

}  // namespace qkvlab
