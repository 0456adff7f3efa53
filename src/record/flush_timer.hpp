#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace qkvlab {

class RecordFile;

/// Flushes a file every so often from a thread of its own, so that its records can be followed
/// however long a step takes. What it fails to write is left to the file's next flush().
class FlushTimer {
 public:
  explicit FlushTimer(RecordFile& file,
                      std::chrono::milliseconds every = std::chrono::milliseconds(2000));
  ~FlushTimer();
  FlushTimer(const FlushTimer&) = delete;
  FlushTimer& operator=(const FlushTimer&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace qkvlab
