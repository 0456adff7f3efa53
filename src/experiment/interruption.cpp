#include "experiment/interruption.hpp"

#include <csignal>

namespace qkvlab {

namespace {

volatile std::sig_atomic_t signalled = 0;

extern "C" void remember_signal(int) { signalled = 1; }

}  // namespace

Interruption::Interruption() {
  signalled = 0;
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

Interruption::~Interruption() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
}

bool Interruption::requested() const { return signalled != 0; }

}  // namespace qkvlab
