#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace qkvlab {

/// How a job ended.
enum class JobEnd : int32_t {
  kDone,
  kBusy,     // somebody else does it: to be looked at again
  kStopped,  // it was asked to stop, or must not begin
  kRefused,  // by a mistake in what it works on, which no retry mends; the text says which
  kFailed,   // by the machine (a full disk), which would fail every other job too
  kBroke     // the worker has died, or could not go on; the text says how
};

/// What a worker can say while it works.
class JobLink {
 public:
  virtual ~JobLink() = default;
  /// Tells how far the job is; cheap, most of it is not sent.
  virtual void progress(int64_t step, int64_t total) = 0;
  /// What the user should know, and what stops nothing.
  virtual void warn(const std::string& text) = 0;
  /// Whether the pool wants its jobs to stop.
  virtual bool stop_requested() const = 0;
};

/// What the pool tells of its jobs.
struct PoolListener {
  std::function<void(size_t job)> begins;
  std::function<void(size_t job, int64_t step, int64_t total)> progress;
  std::function<void(const std::string& text)> warn;
  /// `retried` where a job that broke is put back.
  std::function<void(size_t job, JobEnd end, const std::string& text, bool retried)> ended;
  /// Called several times a second; true: every job is to stop, none is to begin.
  std::function<bool()> idle;
};

/// Does jobs in processes side by side. They are forked from this one, so that each costs little to
/// begin and has all that this one has loaded; the jobs are handed out by this one, and what one of
/// them does to its process is lost with it. A job whose worker dies is done once more.
///
/// A worker ignores SIGINT and SIGTERM, which terminals and supervisors send to all: this process
/// alone decides to stop. It is killed when this process ends. To be made before anything in this
/// process starts a thread.
class WorkerPool {
 public:
  /// Runs in a worker. A thrown UserError is kRefused, or kFailed where that is its exit code; any
  /// other exception is kBroke.
  using Work = std::function<JobEnd(size_t job, JobLink& link)>;

  WorkerPool(int64_t workers, Work work);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Does the jobs 0 to `jobs` - 1, in that order, and returns when nothing is left to be done or,
  /// where a stop was wanted or a job failed, when every worker has stopped; so it does before it
  /// passes on what a listener throws.
  void run(size_t jobs, const PoolListener& listener);

 private:
  struct Worker {
    pid_t pid = -1;
    Descriptor link;     // a socket
    int64_t job = -1;    // none
    bool begun = false;  // the worker has said that it has the job
  };
  using Clock = std::chrono::steady_clock;

  Worker start();
  /// Ends the workers and gives back what they shared.
  void end();
  [[noreturn]] void serve(int socket);
  void hand_out(const PoolListener& listener);
  void receive(Worker& worker, const PoolListener& listener);
  void replace(Worker& worker);
  /// Handles what workers send, for at most 0.1 s.
  void wait_for_workers(const PoolListener& listener);
  void end_job(size_t job, JobEnd end, const std::string& text, const PoolListener& listener);
  bool is_idle() const;

  Work work_;
  void* shared_;  // whether jobs are to stop, seen by all workers
  std::vector<Worker> workers_;
  std::deque<size_t> waiting_;
  std::deque<std::pair<Clock::time_point, size_t>> busy_;  // when to look at them again
  std::vector<int> broken_;                                // how often a job has
  std::vector<int> lost_;  // how often its worker had died before it began
};

}  // namespace qkvlab
