#include "experiment/interruption.hpp"

#include <unistd.h>

#include <cstring>

namespace qkvlab {

namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

volatile std::sig_atomic_t signalled = 0;
const char* notice_to_write = "";

extern "C" void remember_signal(int) {
  signalled = 1;
  for (const int number : kSignals) std::signal(number, SIG_DFL);
  // What fails here cannot be told.
  if (write(STDERR_FILENO, notice_to_write, std::strlen(notice_to_write)) < 0) return;
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
