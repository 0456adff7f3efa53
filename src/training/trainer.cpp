#include "training/trainer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "config/training_length.hpp"
#include "layers/loss.hpp"
#include "layers/tensor_values.hpp"
#include "training/attention_record.hpp"
#include "training/divergence.hpp"
#include "training/gradients.hpp"
#include "training/schedule.hpp"

namespace qkvlab {

Trainer::Trainer(const ExperimentConfig& config, GroupSources sources, ModelImpl& model)
    : config_(config),
      sources_(std::move(sources)),
      model_(model),
      batches_(sources_.tasks, sources_.data, config.training.batch_size,
               config.training.accumulate, model.parameters().front().device()),
      optimizer_(config.training.optimizer, model),
      parameters_(model.parameters()),
      frozen_(parameters_) {
  state_.runs.resize(sources_.random.size());
  require(runs() == static_cast<size_t>(std::max<int64_t>(model.replicas(), 1)),
          "a model has a replica for each run");
  const Task& task = *sources_.tasks.front();
  require(config.training.steps || task.sampling() == Sampling::kShuffled,
          "epochs are of tasks that are gone through");
  total_steps_ = training_steps(config.training, task.examples(Split::kTrain));
}

void Trainer::resume(TrainingState state) {
  require(state.runs.size() == runs(), "a group is resumed with all its runs");
  state_ = std::move(state);
  batches_.skip_to(state_.step);
  for (size_t run = 0; run < runs(); ++run) {
    if (!is_learning(run)) ended_.push_back(static_cast<int64_t>(run));
  }
}

bool Trainer::run(const std::vector<Recorder>& recorders, const AfterStep& after_step) {
  if (state_.step == 0) record_attention(recorders, false);
  if (total_steps_ == 0) {
    evaluate_splits(recorders);
    for (size_t run = 0; run < runs(); ++run) {
      if (is_learning(run)) end_run(run, TrainingEnd::kCompleted);
    }
  }
  const double peak = peak_lr(config_.training.optimizer);
  const int64_t evaluate_every = config_.training.evaluate.every;
  while (!all_have_ended()) {
    const double lr = learning_rate(config_.training.schedule, peak, state_.step, total_steps_);
    const StepResult result = forward_and_backward();
    const int64_t step = ++state_.step;
    record_step(recorders, result, lr);
    const float loss_of_all = mean_loss(result);
    end_diverged(result);
    if (all_have_ended()) {
      after_step({step, total_steps_, loss_of_all, result.tokens, true});
      break;
    }
    const float loss = mean_loss(result);
    if (config_.training.grad_clip) {
      clip_gradients(parameters_, result.norm, *config_.training.grad_clip);
    }
    frozen_.freeze(std::exchange(ended_, {}));
    optimizer_.step(lr);
    frozen_.restore();

    const bool last = step == total_steps_;
    if (last || (evaluate_every > 0 && step % evaluate_every == 0)) evaluate_splits(recorders);
    record_attention(recorders, last);
    for (size_t run = 0; last && run < runs(); ++run) {
      if (is_learning(run)) end_run(run, TrainingEnd::kCompleted);
    }
    if (!after_step({step, total_steps_, loss, result.tokens, all_have_ended()})) break;
  }
  return all_have_ended();
}

bool Trainer::all_have_ended() const {
  return std::all_of(state_.runs.begin(), state_.runs.end(),
                     [](const RunState& run) { return run.end.has_value(); });
}

void Trainer::end_run(size_t run, TrainingEnd end, const std::string& reason) {
  RunState& state = state_.runs[run];
  state.end = end;
  state.steps = state_.step;
  state.reason = reason;
  ended_.push_back(static_cast<int64_t>(run));
}

Trainer::StepResult Trainer::forward_and_backward() {
  StepResult result;
  result.passes = batches_.next([&](size_t run, const std::string& digest) {
    RunState& state = state_.runs[run];
    if (is_learning(run)) state.batch_digest = xxh3_64_hex(state.batch_digest + digest);
  });
  at::Tensor supervised;  // [] or [R], over all passes, where there are several
  for (const Questions& pass : result.passes) {
    if (result.passes.size() == 1) break;
    supervised = supervised.defined() ? supervised + pass.supervised() : pass.supervised();
  }

  optimizer_.zero_grad();
  DropoutStep dropout_step{sources_.random, state_.step};
  result.losses.resize(runs());
  for (const Questions& pass : result.passes) {
    const at::Tensor logits = answer(model_, pass, &dropout_step);  // [N, K] or [R, N, K]
    at::Tensor means = cross_entropy(logits, pass.targets, model_.replicas());  // [] or [R]
    if (result.passes.size() > 1) {
      // Its share of the mean over all that the step supervises, wherever that is.
      const at::Tensor share = pass.supervised().to(at::kDouble) / supervised.clamp_min(1);
      means = means * share.to(means.scalar_type());
    }
    (means.dim() == 0 ? means : means.sum()).backward();
    const std::vector<double> losses = double_values(means);
    for (size_t run = 0; run < runs(); ++run) result.losses[run] += losses[run];
    const bool shared = pass.input.tokens.dim() == 2;
    result.tokens += pass.input.tokens.numel() * (shared ? static_cast<int64_t>(runs()) : 1);
    ++dropout_step.micro_batch;
  }
  result.norm = global_norm(parameters_, model_.replicas());
  return result;
}

void Trainer::record_step(const std::vector<Recorder>& recorders, const StepResult& result,
                          double lr) {
  const std::vector<float> norms = float_values(result.norm);
  for (size_t run = 0; run < runs(); ++run) {
    if (!is_learning(run)) continue;
    recorders[run].step(state_.step, static_cast<float>(result.losses[run]), lr, norms[run]);
  }
  if (!recorders.front().gradients_are_due(state_.step)) return;
  std::vector<NamedFloats> of_runs(runs());
  for (const auto& [path, norm] : gradient_norms(model_)) {
    const std::vector<float> values = float_values(norm);
    for (size_t run = 0; run < runs(); ++run) of_runs[run].emplace_back(path, values[run]);
  }
  for (size_t run = 0; run < runs(); ++run) {
    if (is_learning(run)) recorders[run].gradients(state_.step, std::move(of_runs[run]));
  }
}

void Trainer::record_attention(const std::vector<Recorder>& recorders, bool last) {
  // A run that has reached its target in this step is in its last one.
  const auto is_due = [&](size_t run) {
    const RunState& state = state_.runs[run];
    const bool ends = state.end == TrainingEnd::kCompleted && state.steps == state_.step;
    return (is_learning(run) || ends) && recorders[run].attention_is_due(state_.step, last || ends);
  };
  std::vector<size_t> due;
  for (size_t run = 0; run < runs(); ++run) {
    if (is_due(run)) due.push_back(run);
  }
  if (due.empty()) return;
  auto maps = attention_maps(config_.record.attention, state_.step, model_, sources_.tasks);
  for (const size_t run : due) recorders[run].attention(std::move(maps[run]));
}

void Trainer::end_diverged(const StepResult& result) {
  const std::vector<float> norms = float_values(result.norm);
  std::vector<DivergedRun> diverged;
  for (size_t run = 0; run < runs(); ++run) {
    const bool loss_is_finite = std::isfinite(static_cast<float>(result.losses[run]));
    if (!is_learning(run) || (loss_is_finite && std::isfinite(norms[run]))) continue;
    diverged.push_back({static_cast<int64_t>(run), loss_is_finite});
  }
  if (diverged.empty()) return;
  const DropoutStep dropout_step{sources_.random, state_.step - 1};
  const std::vector<std::string> culprits =
      culprits_of(model_, result.passes, dropout_step, diverged);
  for (size_t i = 0; i < diverged.size(); ++i) {
    end_run(static_cast<size_t>(diverged[i].run), TrainingEnd::kDiverged,
            "step " + std::to_string(state_.step) + ": " + culprits[i] + " is not finite");
  }
}

void Trainer::evaluate_splits(const std::vector<Recorder>& recorders) {
  const EvaluateConfig& config = config_.training.evaluate;
  const Task& task = *sources_.tasks.front();
  const bool held_out = task.examples(Split::kHeldOut) > 0;
  std::vector<Split> splits;
  if (task.examples(Split::kTrain) > 0 && (config.train || !held_out)) {
    splits.push_back(Split::kTrain);
  }
  if (held_out) splits.push_back(Split::kHeldOut);
  for (size_t run = 0; run < runs(); ++run) {
    if (is_learning(run)) state_.runs[run].evaluations.clear();
  }
  for (const Split split : splits) {
    const std::vector<Evaluation> evaluations =
        evaluate(model_, sources_.tasks, split, config_.training.batch_size, config.batches);
    for (size_t run = 0; run < runs(); ++run) {
      if (!is_learning(run)) continue;
      std::vector<Evaluation>& latest = state_.runs[run].evaluations;
      latest.push_back(evaluations[run]);
      latest.back().step = state_.step;
      recorders[run].evaluation(latest.back());
    }
  }
  end_diverged_in_evaluation();
  for (size_t run = 0; run < runs(); ++run) {
    if (is_learning(run) && target_is_reached(state_.runs[run])) {
      end_run(run, TrainingEnd::kCompleted);
    }
  }
}

void Trainer::end_diverged_in_evaluation() {
  std::vector<int64_t> diverged;
  std::vector<std::string> losses;  // the first of each that is not finite
  for (size_t run = 0; run < runs(); ++run) {
    if (!is_learning(run)) continue;
    const std::vector<Evaluation>& evaluations = state_.runs[run].evaluations;
    const auto wrong = std::find_if(evaluations.begin(), evaluations.end(),
                                    [](const Evaluation& one) { return !std::isfinite(one.loss); });
    if (wrong == evaluations.end()) continue;
    diverged.push_back(static_cast<int64_t>(run));
    losses.push_back(wrong->split + ".loss");
  }
  if (diverged.empty()) return;
  // What the last update did, no later step finds.
  const std::vector<std::string> culprits = first_non_finite(model_, diverged);
  for (size_t i = 0; i < diverged.size(); ++i) {
    const std::string& culprit = culprits[i].empty() ? losses[i] : culprits[i];
    end_run(static_cast<size_t>(diverged[i]), TrainingEnd::kDiverged,
            "after step " + std::to_string(state_.step) + ": " + culprit + " is not finite");
  }
}

bool Trainer::target_is_reached(const RunState& run) const {
  if (!config_.training.target) return false;
  const TargetConfig& target = *config_.training.target;
  for (const Evaluation& evaluation : run.evaluations) {
    const std::string prefix = evaluation.split + ".";
    if (target.metric == prefix + "loss") return evaluation.loss <= target.value;
    for (const auto& [name, value] : evaluation.metrics) {
      if (target.metric == prefix + name) return value >= target.value;
    }
  }
  return false;
}

float Trainer::mean_loss(const StepResult& result) const {
  double sum = 0;
  int64_t count = 0;
  for (size_t run = 0; run < runs(); ++run) {
    if (!is_learning(run)) continue;
    sum += result.losses[run];
    ++count;
  }
  return static_cast<float>(sum / static_cast<double>(count));
}

}  // namespace qkvlab
