#include <spdlog/spdlog.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <numeric>
#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "base/terminal.hpp"
#include "cli/ablation_table.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "config/memory.hpp"
#include "experiment/ablation.hpp"
#include "experiment/interruption.hpp"

namespace qkvlab {

namespace {

AblationPlan plan_of(const AblateCommand& command) {
  std::vector<std::string> overrides = command.overrides;
  if (command.workers) overrides.push_back("run.workers=" + std::to_string(*command.workers));
  if (command.replicas) overrides.push_back("run.replicas=" + std::to_string(*command.replicas));
  return read_ablation_plan(find_input_file(command.config), overrides,
                            {command.variants, command.seeds});
}

/// The folder that was asked for; with --force-new the first of FOLDER, FOLDER-2, FOLDER-3, … that
/// is not there.
std::string folder_of(const AblateCommand& command, const std::string& name) {
  std::string wanted = command.folder.empty() ? "runs/" + name : command.folder;
  while (wanted.size() > 1 && wanted.back() == '/') wanted.pop_back();
  std::string folder = wanted;
  std::error_code ignored;
  for (int64_t i = 2; command.force_new && std::filesystem::exists(folder, ignored); ++i) {
    folder = wanted + "-" + std::to_string(i);
  }
  return folder;
}

/// What is told of an ablation on stderr while it goes on.
class Talk {
 public:
  explicit Talk(const AblationPlan& plan) : plan_(plan), values_(plan.variants.size()) {}

  void begins(const AblationForecast& forecast) {
    total_ = forecast.runs;
    spdlog::info("{} × {} = {}{}", counted(static_cast<int64_t>(plan_.variants.size()), "variant"),
                 counted(static_cast<int64_t>(plan_.seeds.size()), "seed"),
                 counted(forecast.runs, "run"),
                 forecast.done > 0 ? ", " + std::to_string(forecast.done) + " of them done" : "");
    if (forecast.groups == 0) return;
    spdlog::info("{} to train by {}: {}, and at most {} MB", counted(forecast.groups, "group"),
                 counted(forecast.workers, "worker"),
                 forecast.seconds ? "about " + duration_text(*forecast.seconds) : "unknown time",
                 fixed(forecast.memory / kMegabyte, 0));
    if (plan_.base.random.scheme == RandomScheme::kTorchStream && plan_.variants.size() > 1) {
      spdlog::info(
          "random.scheme is torch_stream: variants of a seed share only what they draw before they "
          "differ; keyed pairs them");
    }
  }

  void ended(size_t variant, int64_t seed, const RunOutcome& outcome, bool now) {
    ++ended_;
    if (outcome.status == "completed") {
      const auto& metrics = outcome.evaluations.back().metrics;
      values_[variant].push_back(final_metric(outcome, metrics.front().first));
      return;
    }
    const std::string text =
        run_text(plan_, variant, seed) + ": " + outcome.status + ": " + outcome.reason;
    failures_.push_back(text);
    if (now) progress_.note(printable(text));
  }

  void retries(size_t variant, const RunGroup& group, const std::string& reason) {
    const auto others = static_cast<int64_t>(group.runs.size()) - 1;
    progress_.note(printable("trying again " + run_text(plan_, variant, group.runs.front().seed) +
                             (others > 0 ? " and " + counted(others, "other") : "") + ": " +
                             reason));
  }

  void progress(double done, int64_t running, std::optional<double> seconds_left) {
    // The bar has the steps of running ones in it.
    progress_.show(static_cast<int64_t>(done), total_, [&] {
      std::string text = "run " + std::to_string(ended_) + " of " + std::to_string(total_) + ", " +
                         std::to_string(running) + " running, " + std::to_string(failures_.size()) +
                         " failed";
      if (seconds_left) text += ", " + duration_text(*seconds_left) + " left";
      for (size_t i = 0; i < values_.size(); ++i) {
        if (values_[i].empty()) continue;
        const double sum = std::accumulate(values_[i].begin(), values_[i].end(), 0.0);
        text += " · " + plan_.variants[i].name + " " +
                fixed(sum / static_cast<double>(values_[i].size()), 3);
      }
      return printable(text);
    });
  }

  const std::vector<std::string>& failures() const { return failures_; }

 private:
  const AblationPlan& plan_;
  Progress progress_{"run"};
  int64_t total_ = 0, ended_ = 0;
  std::vector<std::vector<double>> values_;  // by variant, of the runs so far
  std::vector<std::string> failures_;
};

AblationResult ablate(const AblationPlan& plan, const std::string& folder, Talk& talk) {
  const Interruption interruption(
      "\nfinishing this step and saving; a second signal ends all without saving\n");
  const Clock::time_point start = Clock::now();
  AblationListener listener;
  listener.begins = [&](const AblationForecast& forecast) { talk.begins(forecast); };
  listener.ended = [&](size_t variant, int64_t seed, const RunOutcome& outcome, bool now) {
    talk.ended(variant, seed, outcome, now);
  };
  listener.retries = [&](size_t variant, const RunGroup& group, const std::string& reason) {
    talk.retries(variant, group, reason);
  };
  listener.progress = [&](double done, int64_t running, std::optional<double> left) {
    talk.progress(done, running, left);
  };
  listener.reason_to_stop = [&]() -> std::string {
    if (interruption.requested()) return "interrupted";
    const std::chrono::duration<double> taken = Clock::now() - start;
    const auto& limit = plan.base.limits.seconds;
    return limit && taken.count() >= *limit ? "limits.seconds is used up" : "";
  };
  return run_ablation(plan, folder, listener);
}

}  // namespace

void run_ablate(const AblateCommand& command) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever stops listening to the talk does not end the runs
  const AblationPlan plan = plan_of(command);
  const std::string folder = folder_of(command, plan.base.name);
  AblationResult result;
  std::vector<std::string> failures;
  {
    Talk talk(plan);
    result = ablate(plan, folder, talk);
    failures = talk.failures();
  }
  Output output("");
  output.write(ablation_table(plan, result.outcomes));
  output.finish();
  spdlog::info("records in {}", printable(folder));
  for (const std::string& failure : failures) spdlog::error("{}", printable(failure));
  if (!result.failed.empty()) throw UserError(result.failed, ExitCode::kFailed);
  if (!result.interrupted.empty()) {
    throw UserError(
        result.interrupted + "; what was trained is saved in " + printable(folder) +
            (command.force_new ? ", --out with that folder goes on" : ", the same command goes on"),
        ExitCode::kInterrupted);
  }
  int64_t waiting = 0;
  for (const auto& of_variant : result.outcomes) {
    for (const auto& [seed, outcome] : of_variant) waiting += outcome.status == "waiting" ? 1 : 0;
  }
  if (waiting > 0) {
    throw UserError(printable(folder) + "/experiment.json: does not list " +
                        counted(waiting, "run") + " by its seed",
                    ExitCode::kFailed);
  }
  if (!failures.empty()) {
    throw UserError(counted(static_cast<int64_t>(failures.size()), "run") + " of " +
                        std::to_string(plan.variants.size() * plan.seeds.size()) +
                        " did not complete",
                    ExitCode::kFailed);
  }
}

}  // namespace qkvlab
