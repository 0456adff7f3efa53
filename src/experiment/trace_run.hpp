#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "config/experiment_config.hpp"
#include "layers/named_values.hpp"

namespace qkvlab {

/// Which of a task's examples is traced.
struct TracedSample {
  std::string split = "train";
  int64_t number = 0;  // from 0
};

/// Everything that one step on one example makes of a model, as copies that the step does not
/// touch: forward without dropout, backward, and the update of the config's optimiser at its `lr`
/// (the first rate of a schedule with warm-up would change next to nothing), with gradients clipped
/// where the config says so.
struct TraceRun {
  std::string run;  // its id: of the config, the task's file and the sample
  std::string mode;
  TracedSample sample;
  int64_t examples = 0;              // of the split; 0: it has no end
  std::vector<int64_t> token_ids;    // T of them
  std::vector<std::string> tokens;   // as people read them
  std::vector<int64_t> targets;      // T, kUnsupervised where nothing is asked; or one, a class
  std::vector<std::string> outputs;  // what each logit stands for
  std::vector<NamedValue> initial;
  NamedTensors forward;                    // every intermediate, without the batch dimension
  at::Tensor loss;                         // [] mean cross-entropy over the targets
  std::vector<NamedValue> after_backward;  // with the gradients of that loss, before clipping
  NamedTensors forward_gradients;  // of those intermediates that have one, under their names
  float grad_norm = 0;             // of all parameters, before clipping
  double lr = 0;
  std::vector<NamedValue> after_step;
  float loss_after = 0;    // of the same example
  std::string not_finite;  // the first tensor that is not; empty where all are
  double seconds = 0;
};

/// Traces one example of a config's task through its model, as the config's seed draws them. A
/// tensor with several names (Q and K, where K is Q itself) has its whole gradient under each.
/// Throws UserError where the task has no such split or example, and as train_run does.
TraceRun run_trace_step(const ExperimentConfig& config, const TracedSample& sample);

}  // namespace qkvlab
