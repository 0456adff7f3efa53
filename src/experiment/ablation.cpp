#include "experiment/ablation.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/number_text.hpp"
#include "config/group_size.hpp"
#include "experiment/ablation_entry.hpp"
#include "experiment/group_model.hpp"
#include "experiment/machine.hpp"
#include "experiment/usable_cores.hpp"
#include "experiment/warm_up.hpp"
#include "experiment/worker_pool.hpp"

namespace qkvlab {

namespace {

/// As many as keep the cores busy that this job may use, each with its threads. A device other than
/// the CPU is one, which several processes would only share.
int64_t workers_for(const RunConfig& run) {
  if (run.device != "cpu") return 1;
  return std::max<int64_t>(1, usable_cores() / run.threads);
}

/// A group that is left to do.
struct Job {
  size_t variant = 0;
  RunGroup group = {};
  double expected_seconds = 0;            // of all its steps
  double done = 0;                        // share of its steps
  std::optional<double> done_first = {};  // when this process first heard of it
  bool running = false;
};

/// One ablation in its folder, as the leading process sees it.
class Sweep {
 public:
  Sweep(const AblationPlan& plan, const std::string& folder, Existing existing,
        const AblationListener& listener)
      : plan_(plan),
        listener_(listener),
        folder_(folder),
        existing_(existing),
        wanted_(plan.seeds.begin(), plan.seeds.end()),
        outcomes_(plan.variants.size()) {
    // Refused before anything is created.
    for (const Variant& variant : plan.variants) refuse_missing_device(variant.config.run);
    for (EnteredGroup& entered : enter_ablation(plan, folder_, listener.warn)) {
      Job job{entered.variant, std::move(entered.group)};
      if (existing == Existing::kOverwrite || !take_over(job, /*now=*/false)) {
        jobs_.push_back(std::move(job));
      }
    }
  }

  AblationResult run() {
    listener_.begins(forecast());
    if (existing_ == Existing::kOverwrite && listener_.reason_to_stop().empty()) {
      for (const Job& job : jobs_) clear_group(folder_, job.group);
    }
    start_ = Clock::now();
    if (!jobs_.empty()) work();
    bool all_have_ended = true;
    for (auto& of_variant : outcomes_) {
      for (const int64_t seed : plan_.seeds) {
        if (!of_variant[seed].status.empty()) continue;
        of_variant[seed].status = "waiting";
        all_have_ended = false;
      }
    }
    if (all_have_ended) interrupted_.clear();  // what came while the last of them ended
    return {std::move(outcomes_), interrupted_, failed_};
  }

 private:
  double memory_of(const Job& job) const {
    const Variant& variant = plan_.variants[job.variant];
    const auto replicas = static_cast<int64_t>(job.group.runs.size());
    return group_memory(variant.config, variant.shape, replicas).total();
  }

  /// What the largest group needs. Throws UserError where that is more than is allowed: groups are
  /// made to fit, but one that is in the folder already stays as it is.
  double largest_memory() const {
    const Job* largest = &jobs_.front();
    for (const Job& job : jobs_) largest = memory_of(job) > memory_of(*largest) ? &job : largest;
    const double needed = memory_of(*largest) / kMegabyte;
    const int64_t limit = plan_.base.limits.memory_mb;
    if (needed > static_cast<double>(limit)) {
      throw UserError(folder_.experiment_file() + ": a group of " +
                      std::to_string(largest->group.runs.size()) + " runs needs about " +
                      fixed(needed, 0) + " MB, allowed are at most " + std::to_string(limit) +
                      " (limits.memory_mb)");
    }
    return needed * kMegabyte;
  }

  AblationForecast forecast() {
    AblationForecast forecast;
    forecast.runs = static_cast<int64_t>(plan_.variants.size() * plan_.seeds.size());
    forecast.done = ended_runs_;
    forecast.groups = static_cast<int64_t>(jobs_.size());
    if (jobs_.empty()) return forecast;
    const double largest = largest_memory();
    const double limit = static_cast<double>(plan_.base.limits.memory_mb) * kMegabyte;
    forecast.workers = std::min({plan_.base.run.workers.value_or(workers_for(plan_.base.run)),
                                 static_cast<int64_t>(limit / largest), forecast.groups});
    forecast.memory = static_cast<double>(forecast.workers) * largest;
    std::vector<WarmUpGroup> groups;
    for (const Job& job : jobs_) groups.push_back({&plan_.variants[job.variant], &job.group});
    const std::vector<double> seconds =
        expected_seconds(groups, [this] { return !listener_.reason_to_stop().empty(); });
    double sum = 0;
    for (size_t i = 0; i < jobs_.size(); ++i) sum += jobs_[i].expected_seconds = seconds[i];
    if (sum > 0) forecast.seconds = sum / static_cast<double>(forecast.workers);
    workers_ = forecast.workers;
    return forecast;
  }

  void work() {
    WorkerPool pool(workers_, [this](size_t job, JobLink& link) { return train(job, link); });
    PoolListener events;
    events.begins = [this](size_t job) { jobs_[job].running = true; };
    events.progress = [this](size_t job, int64_t step, int64_t total) {
      jobs_[job].done = static_cast<double>(step) / static_cast<double>(total);
      if (!jobs_[job].done_first) jobs_[job].done_first = jobs_[job].done;
    };
    events.ended = [this](size_t job, JobEnd end, const std::string& text, bool retried) {
      end_job(jobs_[job], end, text, retried);
    };
    events.warn = [this](const std::string& text) { listener_.warn(text); };
    events.idle = [this] {
      report();
      if (interrupted_.empty()) interrupted_ = listener_.reason_to_stop();
      return !interrupted_.empty();
    };
    pool.run(jobs_.size(), events);
  }

  /// In a worker.
  JobEnd train(size_t job, JobLink& link) const {
    // Asking OpenBLAS for what it has already would make its threads anew, and they wait spinning.
    const auto threads = static_cast<int>(plan_.base.run.threads);
    if (threads != threads_in_use().intra_op) use_threads(threads);
    GroupListener group_listener;
    group_listener.begins = [](int64_t) {};
    group_listener.warn = [&](const std::string& text) { link.warn(text); };
    group_listener.step = [&](const StepReport& report, const TrainingState&) {
      link.progress(report.step, report.total);
    };
    group_listener.reason_to_stop = [&]() -> std::string {
      return link.stop_requested() ? "interrupted" : "";
    };
    const GroupResult result =
        train_group(plan_.variants[jobs_[job].variant].config, jobs_[job].group, folder_,
                    Existing::kGoOn, group_listener);
    // What one variant's groups have freed does not fit the next one's.
    give_back_freed_memory();
    if (result.busy) return JobEnd::kBusy;
    return result.has_ended ? JobEnd::kDone : JobEnd::kStopped;
  }

  void end_job(Job& job, JobEnd end, const std::string& text, bool retried) {
    job.running = false;
    if (end == JobEnd::kDone) {
      job.done = 1;
      job.done_first = job.done_first.value_or(0);
      if (!take_over(job, /*now=*/true)) {
        fail(job, folder_.records_file(job.group.name()) + ": is not as it was written just now",
             /*now=*/true);
      }
    } else if (end == JobEnd::kFailed) {
      if (failed_.empty()) failed_ = text;
    } else if (end == JobEnd::kRefused || (end == JobEnd::kBroke && !retried)) {
      fail(job, text, /*now=*/true);
    } else if (end == JobEnd::kBroke) {
      listener_.retries(job.variant, job.group, text);
    }
  }

  /// Whether the folder says how a group's runs ended, or that they cannot be used: then nothing is
  /// left to do.
  bool take_over(const Job& job, bool now) {
    std::optional<GroupResult> saved;
    try {
      saved = ended_group(folder_, job.group);
    } catch (const UserError& damage) {  // which must cost this group alone
      fail(job, damage.what(), now);
      return true;
    }
    if (!saved) return false;
    for (size_t i = 0; i < job.group.runs.size(); ++i) {
      const RunState& state = saved->training.runs.at(i);
      RunOutcome outcome;
      outcome.status = status_name(state.end.value_or(TrainingEnd::kInterrupted));
      outcome.reason = state.reason;
      outcome.evaluations = state.evaluations;
      outcome.seconds = saved->wall_s / static_cast<double>(job.group.runs.size());
      end_run(job.variant, job.group.runs[i].seed, std::move(outcome), now);
    }
    return true;
  }

  void fail(const Job& job, const std::string& reason, bool now) {
    for (const SeedRun& run : job.group.runs) {
      RunOutcome outcome;
      outcome.status = "failed";
      outcome.reason = reason;
      end_run(job.variant, run.seed, std::move(outcome), now);
    }
  }

  /// A group may hold seeds that were asked for another time.
  void end_run(size_t variant, int64_t seed, RunOutcome outcome, bool now) {
    if (wanted_.count(seed) == 0) return;
    ++ended_runs_;
    listener_.ended(variant, seed, outcome, now);
    outcomes_[variant][seed] = std::move(outcome);
  }

  /// The time that is left is told by how long the work of this sitting has taken, once there is
  /// enough of it.
  void report() const {
    double runs = 0, seconds_of_all = 0, seconds_of_done = 0;
    int64_t running = 0;
    for (const Job& job : jobs_) {
      const double first = job.done_first.value_or(0);
      seconds_of_all += job.expected_seconds * (1 - first);
      seconds_of_done += job.expected_seconds * (std::max(job.done, first) - first);
      if (!job.running) continue;
      running += static_cast<int64_t>(job.group.runs.size());
      runs += static_cast<double>(job.group.runs.size()) * job.done;
    }
    std::optional<double> left;
    if (seconds_of_all > 0) {
      const std::chrono::duration<double> taken = Clock::now() - start_;
      const double share = seconds_of_done / seconds_of_all;
      constexpr double kEnough = 0.02;
      left = share > kEnough
                 ? taken.count() * (1 - share) / share
                 : std::max(0.0, seconds_of_all / static_cast<double>(workers_) - taken.count());
    }
    listener_.progress(static_cast<double>(ended_runs_) + runs, running, left);
  }

  const AblationPlan& plan_;
  const AblationListener& listener_;
  const ExperimentFolder folder_;
  const Existing existing_;
  const std::unordered_set<int64_t> wanted_;  // seeds
  std::vector<Job> jobs_;
  int64_t workers_ = 0;
  int64_t ended_runs_ = 0;
  AblationOutcomes outcomes_;
  std::string interrupted_, failed_;
  Clock::time_point start_;
};

}  // namespace

AblationResult run_ablation(const AblationPlan& plan, const std::string& folder, Existing existing,
                            const AblationListener& listener) {
  return Sweep(plan, folder, existing, listener).run();
}

}  // namespace qkvlab
