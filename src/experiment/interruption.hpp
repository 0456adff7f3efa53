#pragma once

#include <array>
#include <csignal>

namespace qkvlab {

/// While one lives, the first SIGINT or SIGTERM does not end the process but is remembered, so that
/// a run can finish its step and save; one that comes more than a second later, of either kind,
/// ends it as usual (`timeout` sends two at once). A signal
/// that the process was started to ignore stays ignored. One at a time.
///
/// `notice` is written to standard error at once when the first one comes; it must outlive this.
class Interruption {
 public:
  explicit Interruption(const char* notice = "");
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool requested() const { return signal() != 0; }

  /// The first signal that came, SIGINT or SIGTERM; 0 where none has.
  int signal() const;

 private:
  std::array<struct sigaction, 2> before_{};
};

}  // namespace qkvlab
