#include "experiment/worker_pool.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <new>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

/// What the pool told.
struct Told {
  std::map<size_t, std::vector<JobEnd>> ends;
  std::map<size_t, std::string> texts;
  std::map<size_t, int64_t> steps;
  std::vector<std::string> warnings;
  int retries = 0;
  bool stop = false;

  PoolListener listener() {
    PoolListener listener;
    listener.begins = [](size_t) {};
    listener.warn = [this](const std::string& text) { warnings.push_back(text); };
    listener.progress = [this](size_t job, int64_t step, int64_t) { steps[job] = step; };
    listener.ended = [this](size_t job, JobEnd end, const std::string& text, bool retried) {
      ends[job].push_back(end);
      texts[job] = text;
      retries += retried ? 1 : 0;
    };
    listener.idle = [this] { return stop; };
    return listener;
  }
};

/// How often a job was begun, by one byte in a file for each time: workers share no memory.
size_t times(const TemporaryFolder& folder, size_t job) {
  std::ofstream(folder.file(std::to_string(job)), std::ios::app) << '.';
  return TemporaryFolder::read(folder.file(std::to_string(job))).size();
}

TEST(WorkerPool, DoesEveryJobOnceInSeveralProcesses) {
  const TemporaryFolder folder;
  Told told;
  WorkerPool pool(3, [&](size_t job, JobLink& link) {
    times(folder, job);
    link.progress(static_cast<int64_t>(job) + 1, 20);
    if (job == 7) link.warn("beware");
    std::ofstream(folder.file("pids"), std::ios::app) << getpid() << "\n";
    usleep(2000);
    return JobEnd::kDone;
  });
  pool.run(20, told.listener());
  EXPECT_EQ(told.warnings, std::vector<std::string>{"beware"});
  for (size_t job = 0; job < 20; ++job) {
    EXPECT_EQ(told.ends[job], std::vector<JobEnd>{JobEnd::kDone});
    EXPECT_EQ(times(folder, job), 2U);  // this one is the second
  }
  // What comes less than 0.1 s after the former is not sent, but for a job's first.
  for (const auto& [job, step] : told.steps) EXPECT_EQ(step, static_cast<int64_t>(job) + 1);
  EXPECT_FALSE(told.steps.empty());
  std::ifstream pids(folder.file("pids"));
  const std::set<std::string> processes(std::istream_iterator<std::string>(pids), {});
  EXPECT_EQ(processes.size(), 3U);
  EXPECT_EQ(processes.count(std::to_string(getpid())), 0U);
}

TEST(WorkerPool, AJobWhoseWorkerIsKilledIsDoneOnceMore) {
  const TemporaryFolder folder;
  Told told;
  WorkerPool pool(2, [&](size_t job, JobLink&) {
    if (job == 3 && times(folder, job) == 1) raise(SIGKILL);
    return JobEnd::kDone;
  });
  pool.run(6, told.listener());
  EXPECT_EQ(told.ends[3], (std::vector<JobEnd>{JobEnd::kBroke, JobEnd::kDone}));
  EXPECT_EQ(told.retries, 1);
  EXPECT_EQ(told.ends.size(), 6U);
}

TEST(WorkerPool, WhatBreaksTwiceIsGivenUpAndTheOthersAreDone) {
  const TemporaryFolder folder;
  Told told;
  WorkerPool pool(2, [&](size_t job, JobLink&) -> JobEnd {
    times(folder, job);
    if (job == 1) raise(SIGKILL);
    if (job == 2) throw std::bad_alloc();
    if (job == 3) throw std::runtime_error("a fault\nwith a stack trace");
    return JobEnd::kDone;
  });
  pool.run(6, told.listener());
  const std::vector<JobEnd> twice = {JobEnd::kBroke, JobEnd::kBroke};
  for (const size_t job : {1, 2, 3}) {
    EXPECT_EQ(told.ends[job], twice) << job;
    EXPECT_EQ(times(folder, job), 3U) << job;  // this one is the third
  }
  for (const size_t job : {0, 4, 5}) EXPECT_EQ(told.ends[job].front(), JobEnd::kDone) << job;
  EXPECT_EQ(told.texts[1], "its process was killed by signal 9 (Killed)");
  EXPECT_EQ(told.texts[2], "out of memory");
  EXPECT_EQ(told.texts[3], "a fault");
}

TEST(WorkerPool, AWorkerKilledWhileItHasNothingToDoCostsNothing) {
  const TemporaryFolder folder;
  Told told;
  WorkerPool pool(1, [&](size_t job, JobLink&) {
    if (job != 0 || times(folder, job) > 1) return JobEnd::kDone;
    // Dies once it has said that the job is done, when the next one may be on its way to it.
    if (fork() == 0) {
      const pid_t worker = getppid();
      usleep(1000);
      kill(worker, SIGKILL);
      _exit(0);
    }
    return JobEnd::kDone;
  });
  pool.run(30, told.listener());
  EXPECT_EQ(told.ends.size(), 30U);
  EXPECT_LE(told.retries, 1);  // of the job, if any, that was begun
}

TEST(WorkerPool, WhatAListenerThrowsComesAfterTheOthersHaveStopped) {
  const TemporaryFolder folder;
  const std::string begun = folder.file("1 begun");
  WorkerPool pool(2, [&](size_t job, JobLink& link) {
    if (job == 1) std::ofstream(begun) << "x";
    // The first ends once the other is in the midst of its work.
    while (job == 0 ? TemporaryFolder::read(begun).empty() : !link.stop_requested()) usleep(1000);
    std::ofstream(folder.file(std::to_string(job) + " stopped")) << "x";
    return JobEnd::kDone;
  });
  Told told;
  PoolListener listener = told.listener();
  listener.ended = [](size_t, JobEnd, const std::string&, bool) {
    throw std::runtime_error("a listener's");
  };
  EXPECT_THROW(pool.run(2, listener), std::runtime_error);
  EXPECT_EQ(TemporaryFolder::read(folder.file("1 stopped")), "x");
}

TEST(WorkerPool, AMistakeInOneJobCostsNoOther) {
  Told told;
  WorkerPool pool(2, [](size_t job, JobLink&) {
    if (job == 0) throw UserError("damaged");
    return JobEnd::kDone;
  });
  pool.run(5, told.listener());
  EXPECT_EQ(told.ends[0], std::vector<JobEnd>{JobEnd::kRefused});
  EXPECT_EQ(told.texts[0], "damaged");
  EXPECT_EQ(told.ends.size(), 5U);
}

TEST(WorkerPool, WhereTheMachineFailsTheOthersStop) {
  Told told;
  WorkerPool pool(2, [](size_t job, JobLink& link) {
    if (job == 0) throw UserError("no space", ExitCode::kFailed);
    while (!link.stop_requested()) usleep(1000);
    return JobEnd::kStopped;
  });
  pool.run(50, told.listener());
  EXPECT_EQ(told.ends[0].front(), JobEnd::kFailed);
  EXPECT_EQ(told.texts[0], "no space");
  EXPECT_LE(told.ends.size(), 3U);
}

TEST(WorkerPool, StopsWhenItIsWanted) {
  Told told;
  WorkerPool pool(2, [](size_t, JobLink& link) {
    for (int64_t step = 1; !link.stop_requested(); ++step) {
      link.progress(step, 1);
      usleep(1000);
    }
    return JobEnd::kStopped;
  });
  PoolListener listener = told.listener();
  listener.progress = [&](size_t, int64_t, int64_t) { told.stop = true; };
  pool.run(50, listener);
  EXPECT_EQ(told.ends.size(), 2U);
  EXPECT_EQ(told.ends.begin()->second.front(), JobEnd::kStopped);
}

TEST(WorkerPool, WhatIsBusyIsLookedAtAgain) {
  const TemporaryFolder folder;
  Told told;
  WorkerPool pool(1, [&](size_t job, JobLink&) {
    return job == 0 && times(folder, job) < 3 ? JobEnd::kBusy : JobEnd::kDone;
  });
  pool.run(2, told.listener());
  EXPECT_EQ(told.ends[0], (std::vector<JobEnd>{JobEnd::kBusy, JobEnd::kBusy, JobEnd::kDone}));
}

/// How many pieces of memory this process shares with others.
int64_t shared_pieces() {
  std::ifstream maps("/proc/self/maps");
  int64_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    count += line.find("/dev/zero") != std::string::npos ? 1 : 0;
  }
  return count;
}

TEST(WorkerPool, LeavesNothingBehindWhereNotAllWorkersCanBeStarted) {
  const int64_t pieces = shared_pieces();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  // A worker keeps one descriptor here, and takes two as it starts: the third finds one.
  const int next = dup(0);
  close(next);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(next) + 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_THROW(WorkerPool(3, [](size_t, JobLink&) { return JobEnd::kDone; }), UserError);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(shared_pieces(), pieces);
}

}  // namespace
}  // namespace qkvlab
