#pragma once

namespace qkvlab {

/// While one lives, the first SIGINT or SIGTERM does not end the process but is remembered, so that
/// a run can finish its step and save; a second one ends it as usual. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool requested() const;
};

}  // namespace qkvlab
