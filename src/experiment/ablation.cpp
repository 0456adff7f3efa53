#include "experiment/ablation.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "base/error.hpp"
#include "config/group_size.hpp"
#include "experiment/ablation_entry.hpp"
#include "experiment/machine.hpp"
#include "experiment/warm_up.hpp"

namespace qkvlab {

namespace {

using Clock = std::chrono::steady_clock;

/// A group that is left to do.
struct Job {
  size_t variant;
  RunGroup group;
  double done = 0;  // share of its steps
  bool running = false;
};

/// One ablation in its folder, as the leading process sees it.
class Sweep {
 public:
  Sweep(const AblationPlan& plan, const AblationOptions& options, const AblationListener& listener)
      : plan_(plan), listener_(listener), folder_(options.folder), outcomes_(plan.variants.size()) {
    for (const RunGroup& group : enter_ablation(plan, folder_)) {
      const size_t variant = variant_of(group);
      const auto saved = saved_group(folder_, group);
      if (saved && saved->has_ended) {
        take_over(variant, group, *saved, /*now=*/false);
      } else {
        jobs_.push_back({variant, group});
      }
    }
    workers_ = workers(options);
  }

  AblationResult run() {
    forecast();
    listener_.begins(forecast_);
    start_ = Clock::now();
    if (!jobs_.empty()) work();
    AblationResult result;
    result.outcomes = std::move(outcomes_);
    for (auto& of_variant : result.outcomes) {
      for (const int64_t seed : plan_.seeds) {
        if (of_variant[seed].status.empty()) of_variant[seed].status = "waiting";
      }
    }
    result.interrupted = interrupted_;
    return result;
  }

 private:
  size_t variant_of(const RunGroup& group) const {
    const auto found =
        std::find_if(plan_.variants.begin(), plan_.variants.end(),
                     [&](const Variant& variant) { return variant.name == group.variant; });
    require(found != plan_.variants.end(), "a group belongs to a variant of the plan");
    return static_cast<size_t>(found - plan_.variants.begin());
  }

  double memory_of(const Job& job) const {
    const Variant& variant = plan_.variants[job.variant];
    return group_memory(variant.config, variant.shape, static_cast<int64_t>(job.group.runs.size()))
        .total();
  }

  /// As many as were asked for or cores are there, but no more than there are groups and than the
  /// limit of memory allows together.
  int64_t workers(const AblationOptions& options) {
    if (jobs_.empty()) return 0;
    double largest = 0;
    for (const Job& job : jobs_) largest = std::max(largest, memory_of(job));
    const auto cores = static_cast<int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    const int64_t wanted = options.workers.value_or(plan_.base.run.workers.value_or(cores));
    constexpr double kMegabyte = 1e6;
    const double limit = static_cast<double>(plan_.base.limits.memory_mb) * kMegabyte;
    const auto allowed = std::max<int64_t>(1, static_cast<int64_t>(limit / largest));
    const int64_t count = std::min({wanted, allowed, static_cast<int64_t>(jobs_.size())});
    forecast_.memory = static_cast<double>(count) * largest;
    return count;
  }

  void forecast() {
    forecast_.runs = static_cast<int64_t>(plan_.variants.size() * plan_.seeds.size());
    forecast_.done = done_runs_;
    forecast_.groups = static_cast<int64_t>(jobs_.size());
    forecast_.workers = workers_;
    std::vector<WarmUpGroup> groups;
    for (const Job& job : jobs_) groups.push_back({&plan_.variants[job.variant], &job.group});
    job_seconds_ = expected_seconds(groups);
    forecast_.seconds = std::accumulate(job_seconds_.begin(), job_seconds_.end(), 0.0) /
                        static_cast<double>(std::max<int64_t>(workers_, 1));
  }

  void work() {
    WorkerPool pool(workers_, [this](size_t job, JobLink& link) { return train(job, link); });
    PoolListener events;
    events.begins = [this](size_t job) { jobs_[job].running = true; };
    events.progress = [this](size_t job, int64_t step, int64_t total) {
      jobs_[job].done =
          static_cast<double>(step) / static_cast<double>(std::max<int64_t>(total, 1));
    };
    events.ended = [this](size_t job, JobEnd end, const std::string& text, bool retried) {
      end_job(job, end, text, retried);
    };
    events.idle = [this] {
      report();
      if (interrupted_.empty()) interrupted_ = listener_.reason_to_stop();
      return !interrupted_.empty();
    };
    pool.run(jobs_.size(), events);
    if (!refused_.empty()) throw UserError(refused_, ExitCode::kFailed);
  }

  /// In a worker.
  JobEnd train(size_t job, JobLink& link) const {
    // Asking OpenBLAS for what it has already would make its threads anew, and they wait spinning.
    const auto threads = static_cast<int>(plan_.base.run.threads);
    if (threads != threads_in_use().intra_op) use_threads(threads);
    GroupListener group_listener;
    group_listener.begins = [](int64_t) {};
    group_listener.step = [&](const StepReport& report, const TrainingState&) {
      link.progress(report.step, report.total);
    };
    group_listener.reason_to_stop = [&]() -> std::string {
      return link.stop_requested() ? "interrupted" : "";
    };
    const GroupResult result =
        train_group(plan_.variants[jobs_[job].variant].config, jobs_[job].group, folder_,
                    Existing::kResume, group_listener);
    if (result.busy) return JobEnd::kBusy;
    return result.has_ended ? JobEnd::kDone : JobEnd::kStopped;
  }

  void end_job(size_t number, JobEnd end, const std::string& text, bool retried) {
    Job& job = jobs_[number];
    job.running = false;
    job.done = 0;
    if (end == JobEnd::kDone) {
      const auto saved = saved_group(folder_, job.group);
      require(saved && saved->has_ended, "a group that is done says so");
      job.done = 1;
      take_over(job.variant, job.group, *saved, /*now=*/true);
    } else if (end == JobEnd::kRefused) {
      if (refused_.empty()) refused_ = text;
    } else if (end == JobEnd::kBroke && retried) {
      listener_.retries(job.variant, job.group, text);
    } else if (end == JobEnd::kBroke) {
      fail(job, text);
    }
  }

  void fail(const Job& job, const std::string& reason) {
    for (const SeedRun& run : job.group.runs) {
      RunOutcome& outcome = outcomes_[job.variant][run.seed];
      outcome.status = "failed";
      outcome.reason = reason;
      listener_.ended(job.variant, run.seed, outcome, /*now=*/true);
    }
  }

  void take_over(size_t variant, const RunGroup& group, const GroupResult& saved, bool now) {
    for (size_t i = 0; i < group.runs.size(); ++i) {
      const int64_t seed = group.runs[i].seed;
      const RunState& state = saved.training.runs[i];
      RunOutcome outcome;
      outcome.status = status_name(state.end.value_or(TrainingEnd::kInterrupted));
      outcome.reason = state.reason;
      outcome.steps = state.steps;
      outcome.evaluations = state.evaluations;
      outcome.seconds = saved.wall_s / static_cast<double>(group.runs.size());
      // A group may hold seeds that were asked for another time.
      const bool wanted =
          std::find(plan_.seeds.begin(), plan_.seeds.end(), seed) != plan_.seeds.end();
      if (!wanted) continue;
      ++done_runs_;
      listener_.ended(variant, seed, outcome, now);
      outcomes_[variant][seed] = std::move(outcome);
    }
  }

  /// The time that is left is told by what the done work has taken, once there is enough of it.
  void report() const {
    double done_now = 0, work_done = 0, work = 0;
    int64_t running = 0;
    for (size_t i = 0; i < jobs_.size(); ++i) {
      const auto size = static_cast<double>(jobs_[i].group.runs.size());
      work += job_seconds_[i];
      work_done += job_seconds_[i] * jobs_[i].done;
      if (!jobs_[i].running) continue;
      running += static_cast<int64_t>(size);
      done_now += size * jobs_[i].done;
    }
    const std::chrono::duration<double> taken = Clock::now() - start_;
    const double share = work > 0 ? work_done / work : 1;
    constexpr double kEnough = 0.02;
    const double left = share > kEnough ? taken.count() * (1 - share) / share
                                        : std::max(0.0, forecast_.seconds - taken.count());
    listener_.progress(static_cast<double>(done_runs_) + done_now, running, left);
  }

  const AblationPlan& plan_;
  const AblationListener& listener_;
  const ExperimentFolder folder_;
  std::vector<Job> jobs_;
  std::vector<double> job_seconds_;  // that each is expected to take
  int64_t workers_ = 0;
  int64_t done_runs_ = 0;
  AblationForecast forecast_;
  AblationOutcomes outcomes_;
  std::string interrupted_, refused_;
  Clock::time_point start_;
};

}  // namespace

AblationResult run_ablation(const AblationPlan& plan, const AblationOptions& options,
                            const AblationListener& listener) {
  return Sweep(plan, options, listener).run();
}

}  // namespace qkvlab
