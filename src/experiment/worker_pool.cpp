#include "experiment/worker_pool.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "experiment/worker_link.hpp"

namespace qkvlab {

namespace {

constexpr std::chrono::milliseconds kLookAgainAfter(200);
constexpr int kTries = 2;
constexpr int kMostLost = 10;

std::string death_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "its process was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) +
           ")";
  }
  return "its process ended with exit code " + std::to_string(WEXITSTATUS(status));
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

StopFlag& flag_of(void* shared) { return *static_cast<StopFlag*>(shared); }

}  // namespace

WorkerPool::WorkerPool(int64_t workers, Work work)
    : work_(std::move(work)),
      shared_(mmap(nullptr, sizeof(StopFlag), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0)) {
  if (shared_ == MAP_FAILED) throw std::bad_alloc();
  new (shared_) StopFlag(false);
  try {
    for (int64_t i = 0; i < workers; ++i) workers_.push_back(start());
  } catch (...) {
    end();
    throw;
  }
}

WorkerPool::~WorkerPool() { end(); }

void WorkerPool::end() {
  // Which ends the workers that have nothing to do. All links first: a worker holds copies of those
  // of the workers before it.
  for (Worker& worker : workers_) worker.link = Descriptor();
  for (const Worker& worker : workers_) {
    if (worker.pid < 0) continue;
    if (worker.job >= 0) kill(worker.pid, SIGKILL);
    wait_for(worker.pid);
  }
  munmap(shared_, sizeof(StopFlag));
}

WorkerPool::Worker WorkerPool::start() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw UserError(std::string("a worker cannot be started: ") + std::strerror(errno),
                    ExitCode::kFailed);
  }
  Worker worker;
  worker.link = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]);
  const pid_t parent = getpid();
  worker.pid = fork();
  if (worker.pid < 0) {
    throw UserError(std::string("a worker cannot be started: ") + std::strerror(errno),
                    ExitCode::kFailed);
  }
  if (worker.pid == 0) {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it has died before
    worker.link = Descriptor();
    serve(theirs.get());
  }
  return worker;
}

void WorkerPool::serve(int socket) {
  // Of the others' links: while a copy is open here, they would not notice that the pool is gone.
  for (Worker& worker : workers_) worker.link = Descriptor();
  WorkerLink link(socket, flag_of(shared_));
  size_t job = 0;
  while (recv(socket, &job, sizeof(job), 0) == static_cast<ssize_t>(sizeof(job))) {
    link.send({});  // it has begun
    WorkerMessage message;
    message.kind = WorkerMessage::Kind::kEnd;
    try {
      message.end = link.stop_requested() ? JobEnd::kStopped : work_(job, link);
    } catch (const UserError& error) {
      message.end = error.code() == ExitCode::kFailed ? JobEnd::kFailed : JobEnd::kRefused;
      message.set_text(error.what());
    } catch (const std::bad_alloc&) {
      message.end = JobEnd::kBroke;
      message.set_text("out of memory");
    } catch (const std::exception& error) {
      message.end = JobEnd::kBroke;
      const std::string what = error.what();
      message.set_text(what.substr(0, what.find('\n')));  // LibTorch adds a stack trace
    }
    link.send(message);
    // What a failure has left of memory and state is nobody's to build on.
    if (message.end == JobEnd::kBroke) _exit(0);
  }
  _exit(0);
}

bool WorkerPool::is_idle() const {
  return std::all_of(workers_.begin(), workers_.end(),
                     [](const Worker& worker) { return worker.job < 0; });
}

void WorkerPool::run(size_t jobs, const PoolListener& listener) {
  for (size_t job = 0; job < jobs; ++job) waiting_.push_back(job);
  broken_.assign(jobs, 0);
  lost_.assign(jobs, 0);
  StopFlag& stop = flag_of(shared_);
  try {
    while (!is_idle() || (!stop && !(waiting_.empty() && busy_.empty()))) {
      if (listener.idle()) stop = true;
      if (!stop) hand_out(listener);
      wait_for_workers(listener);
    }
  } catch (...) {
    stop = true;
    const PoolListener nobody = {
        [](size_t) {}, [](size_t, int64_t, int64_t) {}, [](const std::string&) {},
        [](size_t, JobEnd, const std::string&, bool) {}, [] { return true; }};
    while (!is_idle()) wait_for_workers(nobody);
    throw;
  }
}

void WorkerPool::wait_for_workers(const PoolListener& listener) {
  std::vector<pollfd> links;
  for (const Worker& worker : workers_) links.push_back({worker.link.get(), POLLIN, 0});
  constexpr int kMilliseconds = 100;
  if (poll(links.data(), links.size(), kMilliseconds) < 0) return;  // a signal
  for (size_t i = 0; i < links.size(); ++i) {
    if (links[i].revents != 0) receive(workers_[i], listener);
  }
}

void WorkerPool::hand_out(const PoolListener& listener) {
  const auto now = Clock::now();
  while (!busy_.empty() && busy_.front().first <= now) {
    waiting_.push_back(busy_.front().second);
    busy_.pop_front();
  }
  for (Worker& worker : workers_) {
    if (worker.job >= 0 || waiting_.empty()) continue;
    const size_t job = waiting_.front();
    // A worker that has just died is noticed by receive(), and the job handed to its successor.
    if (send(worker.link.get(), &job, sizeof(job), MSG_NOSIGNAL) < 0) continue;
    waiting_.pop_front();
    worker.job = static_cast<int64_t>(job);
    worker.begun = false;
    listener.begins(job);
  }
}

void WorkerPool::receive(Worker& worker, const PoolListener& listener) {
  WorkerMessage message;
  const ssize_t size = recv(worker.link.get(), &message, sizeof(message), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size == static_cast<ssize_t>(sizeof(message))) {
    const auto job = static_cast<size_t>(worker.job);
    if (message.kind == WorkerMessage::Kind::kEnd) {
      worker.job = -1;
      // It has ended itself: the next job is for its successor.
      if (message.end == JobEnd::kBroke) {
        wait_for(std::exchange(worker.pid, -1));
        replace(worker);
      }
      end_job(job, message.end, message.text.data(), listener);
    } else if (message.kind == WorkerMessage::Kind::kWarning) {
      listener.warn(message.text.data());
    } else {
      worker.begun = true;
      if (message.total > 0) listener.progress(job, message.step, message.total);
    }
    return;
  }
  const std::string death = death_of(wait_for(std::exchange(worker.pid, -1)));
  const int64_t job = std::exchange(worker.job, -1);
  const bool begun = worker.begun;
  replace(worker);
  if (job < 0) return;
  const auto number = static_cast<size_t>(job);
  if (!begun && ++lost_[number] < kMostLost) {
    waiting_.push_front(number);  // which is not the job's fault
  } else {
    end_job(number, JobEnd::kBroke, death, listener);
  }
}

void WorkerPool::replace(Worker& worker) {
  worker.link = Descriptor();
  worker = start();
}

void WorkerPool::end_job(size_t job, JobEnd end, const std::string& text,
                         const PoolListener& listener) {
  const bool retried = end == JobEnd::kBroke && ++broken_[job] < kTries;
  if (retried) waiting_.push_front(job);
  if (end == JobEnd::kBusy) busy_.emplace_back(Clock::now() + kLookAgainAfter, job);
  if (end == JobEnd::kFailed) flag_of(shared_) = true;
  listener.ended(job, end, text, retried);
}

}  // namespace qkvlab
