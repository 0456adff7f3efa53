#include "record/flush_timer.hpp"

#include "record/record_file.hpp"

namespace qkvlab {

FlushTimer::FlushTimer(RecordFile& file, std::chrono::milliseconds every)
    : thread_([this, &file, every] {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!ended_.wait_for(lock, every, [this] { return has_ended_; })) file.try_flush();
      }) {}

FlushTimer::~FlushTimer() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace qkvlab
