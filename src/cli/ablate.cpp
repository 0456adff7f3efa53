#include <chrono>
#include <csignal>
#include <numeric>
#include <optional>
#include <set>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "cli/ablation_json.hpp"
#include "cli/ablation_table.hpp"
#include "cli/commands.hpp"
#include "cli/interrupted.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/talk.hpp"
#include "cli/terminal_style.hpp"
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

/// What is told of an ablation on stderr while it goes on.
class Talk {
 public:
  explicit Talk(const AblationPlan& plan) : plan_(plan), values_(plan.variants.size()) {}

  void begins(const AblationForecast& forecast) {
    total_ = forecast.runs;
    note(counted(static_cast<int64_t>(plan_.variants.size()), "variant") + " × " +
         counted(static_cast<int64_t>(plan_.seeds.size()), "seed") + " = " +
         counted(forecast.runs, "run") +
         (forecast.done > 0 ? ", " + std::to_string(forecast.done) + " of them done" : ""));
    if (forecast.groups == 0) return;
    note(counted(forecast.groups, "group") + " to train by " + counted(forecast.workers, "worker") +
         ": " + (forecast.seconds ? "about " + duration_text(*forecast.seconds) : "unknown time") +
         ", and at most " + fixed(forecast.memory / kMegabyte, 0) + " MB");
    if (plan_.base.random.scheme == RandomScheme::kTorchStream && plan_.variants.size() > 1) {
      warn(
          "random.scheme is torch_stream: variants of a seed share only what they draw before they "
          "differ; keyed pairs them");
    }
  }

  void ended(size_t variant, int64_t seed, const RunOutcome& outcome, bool now) {
    ++ended_;
    if (outcome.status == "completed") {
      const auto& metrics = outcome.evaluations.back().metrics;
      metric_ = metrics.front().first;
      values_[variant].push_back(final_metric(outcome, metric_));
      return;
    }
    const std::string text =
        run_text(plan_, variant, seed) + ": " + outcome.status + ": " + outcome.reason;
    failures_.push_back(text);
    if (now) progress_.warn(text);
  }

  void retries(size_t variant, const RunGroup& group, const std::string& reason) {
    const auto others = static_cast<int64_t>(group.runs.size()) - 1;
    progress_.warn("trying again " + run_text(plan_, variant, group.runs.front().seed) +
                   (others > 0 ? " and " + counted(others, "other") : "") + ": " + reason);
  }

  void progress(double done, int64_t running, std::optional<double> seconds_left) {
    // The bar has the steps of running ones in it.
    progress_.show(static_cast<int64_t>(done), total_, [&] {
      std::string text = "run " + std::to_string(ended_) + " of " + std::to_string(total_) + ", " +
                         std::to_string(running) + " running, " + std::to_string(failures_.size()) +
                         " failed";
      if (seconds_left) text += ", " + duration_text(*seconds_left) + " left";
      std::string means;
      for (size_t i = 0; i < values_.size(); ++i) {
        if (values_[i].empty()) continue;
        const double sum = std::accumulate(values_[i].begin(), values_[i].end(), 0.0);
        means += (means.empty() ? "; " + metric_ + ": " : ", ") + plan_.variants[i].label + " " +
                 fixed(sum / static_cast<double>(values_[i].size()), 3);
      }
      text += means;
      return text;
    });
  }

  /// Groups often have the same to tell.
  void warn(const std::string& text) {
    if (warnings_.insert(text).second) progress_.warn(text);
  }

  const std::vector<std::string>& failures() const { return failures_; }

 private:
  const AblationPlan& plan_;
  Progress progress_{"run"};
  int64_t total_ = 0, ended_ = 0;
  std::string metric_;                       // the first beside the loss,
  std::vector<std::vector<double>> values_;  // and its values by variant, of the runs so far
  std::vector<std::string> failures_;
  std::set<std::string> warnings_;
};

/// What came of it, and what ended it too early, as an exit code.
struct Ablated {
  AblationResult result;
  ExitCode ended_by = ExitCode::kDone;
};

Ablated ablate(const AblationPlan& plan, const std::string& folder, Existing existing, Talk& talk) {
  const Interruption interruption(interruption_notice());
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
  listener.warn = [&](const std::string& text) { talk.warn(text); };
  AblationResult result = run_ablation(plan, folder, existing, listener);
  return {std::move(result), exit_code_of(interruption.signal())};
}

}  // namespace

void run_ablate(const AblateCommand& command) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever stops listening to the talk does not end the runs
  const AblationPlan plan = plan_of(command);
  const std::string folder = command.folder.empty() ? "runs/" + plan.base.name : command.folder;
  Ablated ablated;
  std::vector<std::string> failures;
  {
    Talk talk(plan);
    ablated =
        ablate(plan, folder, command.overwrite ? Existing::kOverwrite : Existing::kGoOn, talk);
    failures = talk.failures();
  }
  const AblationResult& result = ablated.result;
  Output output("");
  output.write(command.format == Format::kJson
                   ? ablation_json(plan, result.outcomes, folder)
                   : ablation_table(plan, result.outcomes, text_style("")));
  output.finish();
  note("records in " + folder);
  for (const std::string& failure : failures) say_error(failure);
  if (!result.failed.empty()) throw UserError(result.failed, ExitCode::kFailed);
  if (!result.interrupted.empty()) {
    throw UserError(result.interrupted + "; what was trained is saved in " + folder +
                        ", the same command " + (command.overwrite ? "without --overwrite " : "") +
                        "goes on",
                    ablated.ended_by);
  }
  int64_t waiting = 0;
  for (const auto& of_variant : result.outcomes) {
    for (const auto& [seed, outcome] : of_variant) waiting += outcome.status == "waiting" ? 1 : 0;
  }
  if (waiting > 0) {
    throw UserError(
        folder + "/experiment.json: does not list " + counted(waiting, "run") + " by its seed",
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
