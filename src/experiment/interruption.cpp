#include "experiment/interruption.hpp"

#include <unistd.h>

#include <cstring>
#include <ctime>

namespace qkvlab {

namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

volatile std::sig_atomic_t signalled = 0;
volatile std::time_t first_second = 0;
const char* notice_to_write = "";

/// What only calls that a signal handler may make can tell.
std::time_t now_in_seconds() {
  struct timespec now {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

extern "C" void remember_signal(int number) {
  if (signalled == 0) {
    signalled = 1;
    first_second = now_in_seconds();
    // What fails here cannot be told.
    if (write(STDERR_FILENO, notice_to_write, std::strlen(notice_to_write)) < 0) return;
    return;
  }
  // `timeout` sends its signal to the process, and at once to its group as well.
  if (now_in_seconds() - first_second < 2) return;
  std::signal(number, SIG_DFL);
  raise(number);
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

bool Interruption::requested() const { return signalled != 0; }

}  // namespace qkvlab
