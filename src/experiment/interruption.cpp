#include "experiment/interruption.hpp"

#include <array>

namespace qkvlab {

namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

volatile std::sig_atomic_t signalled = 0;

extern "C" void remember_signal(int) {
  signalled = 1;
  for (const int number : kSignals) std::signal(number, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  signalled = 0;
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
