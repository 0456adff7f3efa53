#pragma once

#include "config/ablation_fields.hpp"
#include "config/experiment_config.hpp"
#include "config/model_fields.hpp"
#include "config/task_fields.hpp"
#include "config/training_fields.hpp"

namespace qkvlab {

template <>
struct ConfigFields<RandomConfig> {
  template <typename C, typename Visitor>
  static void visit(C& random, Visitor& visitor) {
    visitor.field("scheme", random.scheme,
                  "every draw from a generator of its own, or one stream as PyTorch consumes it");
    visitor.field("seed", random.seed, "as in torch.manual_seed", at_least(0));
  }
};

template <>
struct ConfigFields<AttentionRecordConfig> {
  template <typename C, typename Visitor>
  static void visit(C& attention, Visitor& visitor) {
    visitor.field("every", attention.every, "steps between records of attention; 0: never", kSteps);
    visitor.field("layers", attention.layers, "which layers, from 0", at_least(0));
    visitor.field("heads", attention.heads, "which heads, from 0", at_least(0));
    visitor.field("samples", attention.samples, "of the split that is evaluated, the first ones",
                  from_to(1, 1 << 20));
  }
};

template <>
struct ConfigFields<RecordConfig> {
  template <typename C, typename Visitor>
  static void visit(C& record, Visitor& visitor) {
    visitor.field("step", record.step, "steps between records of loss; 0: never", kSteps);
    visitor.field("gradients", record.gradients, "steps between records of gradients; 0: never",
                  kSteps);
    visitor.field("attention", record.attention, "which attention weights are recorded");
  }
};

template <>
struct ConfigFields<RunConfig> {
  template <typename C, typename Visitor>
  static void visit(C& run, Visitor& visitor) {
    visitor.field("device", run.device, "cpu, or cuda:0, cuda:1, …");
    visitor.field("threads", run.threads, "of one worker", from_to(1, 1024));
    visitor.field(
        "workers", run.workers,
        "processes of an ablation side by side; null: as many as the cores that the job may "
        "use (affinity, control group) over `threads`; on a GPU 1",
        from_to(1, 1024));
    visitor.field("replicas", run.replicas,
                  "runs of an ablation that train as one stacked model; null: as many as fit "
                  "memory and cache; 1: one by one",
                  from_to(1, 1'000'000));
    visitor.field("checkpoint_steps", run.checkpoint_steps,
                  "steps after which the run is saved; null: time alone decides",
                  from_to(1, 1'000'000'000));
    visitor.field("checkpoint_seconds", run.checkpoint_seconds,
                  "seconds after which the run is saved", kPositive);
    visitor.field(
        "keep_checkpoints", run.keep_checkpoints,
        "whether the checkpoint of a run that has ended, which holds its weights, is kept");
  }
};

template <>
struct ConfigFields<Limits> {
  template <typename C, typename Visitor>
  static void visit(C& limits, Visitor& visitor) {
    visitor.field("tokens_per_sequence", limits.tokens_per_sequence, "longer sequences are refused",
                  at_least(1));
    visitor.field("tokens_per_batch", limits.tokens_per_batch,
                  "steps of more tokens, all their forward passes together, are refused",
                  at_least(1));
    visitor.field("memory_mb", limits.memory_mb, "a run that is predicted to need more is refused",
                  at_least(1));
    visitor.field("seconds", limits.seconds,
                  "of wall time, after which the run is saved and ends as interrupted; null: none",
                  kPositive);
  }
};

template <>
struct ConfigFields<ExperimentConfig> {
  template <typename C, typename Visitor>
  static void visit(C& config, Visitor& visitor) {
    visitor.field("name", config.name, "of the experiment; by default that of the config file",
                  Any{}, Effect::kNone);
    visitor.field("task", config.task, "what is learned");
    visitor.field("model", config.model, "what learns it");
    visitor.field("training", config.training, "how it is trained");
    visitor.field("random", config.random, "where random draws come from");
    visitor.field("record", config.record, "what is recorded, how often", Any{}, Effect::kNone);
    visitor.field("run", config.run, "where and how it runs", Any{}, Effect::kNone);
    visitor.field("limits", config.limits, "what a run may take", Any{}, Effect::kNone);
    visitor.field("ablation", config.ablation, "what `qkvlab ablate` compares; null: all modes",
                  Any{}, Effect::kNone);
  }
};

}  // namespace qkvlab
