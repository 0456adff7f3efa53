#include "experiment/interruption.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace qkvlab {

namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

volatile std::sig_atomic_t signalled = 0;  // the first signal that came
std::atomic<int64_t> first_came_at = 0;    // in milliseconds; lock-free
const char* notice_to_write = "";

/// What only calls that a signal handler may make can tell.
int64_t now_in_milliseconds() {
  struct timespec now {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{1000} * now.tv_sec + now.tv_nsec / 1'000'000;
}

void remember(int number) {
  if (signalled == 0) {
    const int interrupted_errno = errno;  // of whatever is in the midst of looking at it
    signalled = number;
    first_came_at = now_in_milliseconds();
    // What fails here cannot be told.
    const ssize_t ignored = write(STDERR_FILENO, notice_to_write, std::strlen(notice_to_write));
    static_cast<void>(ignored);
    errno = interrupted_errno;
    return;
  }
  // `timeout` sends its signal to the process, and at once to its group as well.
  constexpr int64_t kTheSame = 1000;
  if (now_in_milliseconds() - first_came_at < kTheSame) return;
  std::signal(number, SIG_DFL);
  raise(number);
}

extern "C" void remember_signal(int number) {
  const int of_interrupted = errno;  // what this interrupts may be about to read it
  remember(number);
  errno = of_interrupted;
}

}  // namespace

Interruption::Interruption(const char* notice) {
  signalled = 0;
  notice_to_write = notice;
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int Interruption::signal() const { return signalled; }

}  // namespace qkvlab
