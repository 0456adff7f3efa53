#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>

#include "experiment/worker_pool.hpp"

namespace qkvlab {

/// Whether jobs are to stop; shared between processes.
using StopFlag = std::atomic<bool>;
static_assert(StopFlag::is_always_lock_free, "it is shared between processes");

/// What a worker sends, whole or not at all: a packet of a SOCK_SEQPACKET.
struct WorkerMessage {
  enum class Kind : int32_t { kProgress, kWarning, kEnd };
  Kind kind = Kind::kProgress;
  JobEnd end = JobEnd::kDone;
  int64_t step = 0, total = 0;
  std::array<char, 1024> text{};

  void set_text(const std::string& words) {
    const size_t length = std::min(words.size(), text.size() - 1);
    std::copy_n(words.begin(), length, text.begin());
  }
};

static_assert(std::has_unique_object_representations_v<WorkerMessage>,
              "bytes between its members would be sent as memory has left them");

/// A worker's end of its socket to the pool.
class WorkerLink : public JobLink {
 public:
  WorkerLink(int socket, const StopFlag& stop) : socket_(socket), stop_(stop) {}

  void progress(int64_t step, int64_t total) override {
    constexpr std::chrono::milliseconds kProgressEvery(100);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kProgressEvery) return;
    last_ = now;
    WorkerMessage message;
    message.step = step;
    message.total = total;
    send(message);
  }
  void warn(const std::string& text) override {
    WorkerMessage message;
    message.kind = WorkerMessage::Kind::kWarning;
    message.set_text(text);
    send(message);
  }
  bool stop_requested() const override { return stop_.load(); }

  void send(const WorkerMessage& message) const {
    // Where nobody listens any more, this process is about to be killed.
    ::send(socket_, &message, sizeof(message), MSG_NOSIGNAL);
  }

 private:
  int socket_;
  const StopFlag& stop_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace qkvlab
