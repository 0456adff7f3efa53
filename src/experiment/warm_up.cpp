#include "experiment/warm_up.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <new>

#include "base/clock.hpp"
#include "config/experiment_writer.hpp"
#include "experiment/group_model.hpp"
#include "experiment/run_record.hpp"
#include "record/record_lines.hpp"
#include "record/sink.hpp"

namespace qkvlab {

namespace {

constexpr double kBudget = 1;          // seconds, of all variants together
constexpr double kEnoughOfOne = 0.05;  // seconds, of one variant
constexpr int64_t kMostSteps = 20;

/// Until the records and the checkpoint of a group are on the disk, in seconds.
constexpr double kFilesOfAGroup = 0.01;

/// Writes records as a file would get them, and keeps none.
class PassingSink : public RecordSink {
 public:
  void emit(const Record& record) override {
    line_.clear();
    append_record(line_, record);
  }

 private:
  std::string line_;
};

/// Nothing but steps and their records.
ExperimentConfig steps_alone(ExperimentConfig config) {
  config.record.attention.every = 0;
  config.training.evaluate.every = 0;
  config.training.target.reset();
  config.training.epochs.reset();
  config.training.steps = INT64_MAX;
  config.training.schedule = ConstantSchedule{};
  return config;
}

/// Forward passes of all evaluations of a training, each about a third of a step.
double evaluation_steps(const TrainingConfig& training, const Task& task, int64_t total_steps) {
  const int64_t every = training.evaluate.every;
  const int64_t evaluations = 1 + (every > 0 ? (total_steps - 1) / every : 0);
  const int64_t examples = task.examples(Split::kHeldOut) > 0 ? task.examples(Split::kHeldOut)
                                                              : task.examples(Split::kTrain);
  const int64_t all = (examples + training.batch_size - 1) / training.batch_size;
  const int64_t batches = std::min(all, training.evaluate.batches.value_or(all));
  return static_cast<double>(evaluations * batches) /
         (3 * static_cast<double>(training.accumulate));
}

/// The seconds that a group takes, by its start and its first steps. A group of short trainings
/// spends most of its time on drawing its models and writing who they are.
double measured(const ExperimentConfig& config, const std::vector<SeedRun>& runs) {
  const Clock::time_point begin = Clock::now();
  PassingSink sink;
  const GroupModel group =
      make_group_model(config, runs, [&](size_t, const std::vector<NamedValue>& initial) {
        RunRecord record = run_record(initial);
        record.config = config_line(config);
        sink.emit(record);
      });
  const int64_t total = Trainer(config, group.sources, *group.model).total_steps();
  const ExperimentConfig steps_only = steps_alone(config);
  Trainer trainer(steps_only, group.sources, *group.model);
  const std::vector<Recorder> recorders(runs.size(),
                                        Recorder(steps_only.record, RunSink("", sink)));
  const double until_steps = seconds_since(begin);
  Clock::time_point start = Clock::now();
  double first_step = 0, per_step = 0;
  trainer.run(recorders, [&](const StepReport& report) {
    // The first step allocates what the others use again.
    if (report.step == 1) {
      first_step = seconds_since(start);
      start = Clock::now();
      return true;
    }
    const double taken = seconds_since(start);
    per_step = taken / static_cast<double>(report.step - 1);
    return taken < kEnoughOfOne && report.step <= kMostSteps;
  });
  const Task& task = *group.sources.tasks.front();
  const double further_steps = static_cast<double>(std::max<int64_t>(total - 1, 0)) +
                               evaluation_steps(config.training, task, total);
  return until_steps + first_step + per_step * further_steps + kFilesOfAGroup;
}

/// The work of a group, in no unit of its own.
double work_of(const WarmUpGroup& group) {
  const TrainingConfig& training = group.variant->config.training;
  return group.variant->size.training_flops() * static_cast<double>(group.group->runs.size()) *
         static_cast<double>(training.steps.value_or(1) * training.batch_size *
                             training.accumulate * group.variant->shape.length);
}

/// Measures in this process; `seconds` has room for each group.
void measure(const std::vector<WarmUpGroup>& groups, double* seconds) {
  const Clock::time_point start = Clock::now();
  std::map<const Variant*, double> per_work;
  double last = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    const WarmUpGroup& group = groups[i];
    const auto known = per_work.find(group.variant);
    if (known != per_work.end()) {
      seconds[i] = known->second * work_of(group);
    } else if (seconds_since(start) < kBudget) {
      seconds[i] = measured(group.variant->config, group.group->runs);
      last = per_work[group.variant] = seconds[i] / work_of(group);
    } else {
      seconds[i] = last * work_of(group);
    }
  }
}

}  // namespace

std::vector<double> expected_seconds(const std::vector<WarmUpGroup>& groups,
                                     const std::function<bool()>& stop) {
  if (groups.empty()) return {};
  const size_t bytes = groups.size() * sizeof(double);
  void* const shared =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  auto* const seconds = static_cast<double*>(shared);
  std::fill_n(seconds, groups.size(), 0);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it has died before
    try {
      measure(groups, seconds);
    } catch (const std::exception&) {
      // Whatever it is, the training itself will meet it and say so.
      std::fill_n(seconds, groups.size(), 0);
    }
    _exit(0);
  }
  while (child > 0 && waitpid(child, nullptr, WNOHANG) == 0) {
    constexpr useconds_t kMicroseconds = 5000;
    usleep(kMicroseconds);
    if (!stop()) continue;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::fill_n(seconds, groups.size(), 0);
    break;
  }
  std::vector<double> result(seconds, seconds + groups.size());
  munmap(shared, bytes);
  return result;
}

}  // namespace qkvlab
