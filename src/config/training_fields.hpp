#pragma once

#include "config/field_rules.hpp"
#include "config/training_config.hpp"

namespace qkvlab {

constexpr IntegerRange kSteps = {0, 1'000'000'000};
constexpr const char* kLrDoc = "learning rate";

template <>
struct ConfigFields<SgdConfig> {
  template <typename C, typename Visitor>
  static void visit(C& sgd, Visitor& visitor) {
    visitor.field("lr", sgd.lr, kLrDoc, kPositiveFloat32);
    visitor.field("momentum", sgd.momentum, "of PyTorch's SGD, without dampening",
                  kFromZeroBelowOne);
    visitor.field("nesterov", sgd.nesterov, "Nesterov's momentum; needs a momentum above 0");
    visitor.field("weight_decay", sgd.weight_decay, "added to the gradient, times the weight",
                  kNotNegativeFloat32);
  }
};

/// What Adam and AdamW share.
template <typename C, typename Visitor>
void visit_adam_fields(C& adam, Visitor& visitor) {
  visitor.field("lr", adam.lr, kLrDoc, kPositiveFloat32);
  visitor.field("beta1", adam.beta1, "decay of the mean of gradients", kFromZeroBelowOne);
  visitor.field("beta2", adam.beta2, "decay of the mean of their squares", kFromZeroBelowOne);
  visitor.field("eps", adam.eps, "added to the root of that mean", kPositiveFloat32);
}

template <>
struct ConfigFields<AdamConfig> {
  template <typename C, typename Visitor>
  static void visit(C& adam, Visitor& visitor) {
    visit_adam_fields(adam, visitor);
  }
};

template <>
struct ConfigFields<AdamWConfig> {
  template <typename C, typename Visitor>
  static void visit(C& adam, Visitor& visitor) {
    visit_adam_fields(adam, visitor);
    visitor.field("weight_decay", adam.weight_decay,
                  "the share of a weight, times the learning rate, that is taken off it",
                  kNotNegativeFloat32);
    visitor.field("decay", adam.decay,
                  "which parameters decay: all, or weights and embeddings but no biases and norms");
  }
};

template <typename C, typename Visitor>
void visit_warm_up_fields(C& schedule, Visitor& visitor) {
  visitor.field("warmup_steps", schedule.warmup_steps,
                "steps in which the learning rate rises in a straight line", kSteps);
  visitor.field("warmup_fraction", schedule.warmup_fraction,
                "the same as a share of all steps, rounded down; not both", kFromZeroBelowOne);
}

template <typename C, typename Visitor>
void visit_falling_fields(C& schedule, Visitor& visitor) {
  visit_warm_up_fields(schedule, visitor);
  visitor.field("final_lr", schedule.final_lr, "learning rate at the end of training",
                kNotNegativeFloat32);
}

template <>
struct ConfigFields<ConstantSchedule> {
  template <typename C, typename Visitor>
  static void visit(C& schedule, Visitor& visitor) {
    visit_warm_up_fields(schedule, visitor);
  }
};

template <>
struct ConfigFields<LinearSchedule> {
  template <typename C, typename Visitor>
  static void visit(C& schedule, Visitor& visitor) {
    visit_falling_fields(schedule, visitor);
  }
};

template <>
struct ConfigFields<CosineSchedule> {
  template <typename C, typename Visitor>
  static void visit(C& schedule, Visitor& visitor) {
    visit_falling_fields(schedule, visitor);
  }
};

template <>
struct ConfigFields<EvaluateConfig> {
  template <typename C, typename Visitor>
  static void visit(C& evaluate, Visitor& visitor) {
    visitor.field("every", evaluate.every, "steps between evaluations; 0: at the end alone",
                  kSteps);
    visitor.field("batches", evaluate.batches,
                  "as many batches, spread evenly over the split; null: all of it",
                  from_to(1, 1'000'000'000));
    visitor.field("train", evaluate.train,
                  "the training split as well (always where nothing is held out)");
  }
};

template <>
struct ConfigFields<TargetConfig> {
  template <typename C, typename Visitor>
  static void visit(C& target, Visitor& visitor) {
    visitor.field("metric", target.metric, "what is watched: a split, a point, a metric");
    visitor.field("value", target.value, "reached from there on up; a loss from there on down");
  }
};

template <>
struct ConfigFields<TrainingConfig> {
  template <typename C, typename Visitor>
  static void visit(C& training, Visitor& visitor) {
    visitor.field("steps", training.steps, "steps of the optimiser; this or `epochs`", kSteps);
    visitor.field("epochs", training.epochs, "passes over the training examples; this or `steps`",
                  kSteps);
    visitor.field("batch_size", training.batch_size, "sequences of one forward pass",
                  from_to(1, 1 << 20));
    visitor.field("accumulate", training.accumulate, "forward passes of one step",
                  from_to(1, 1 << 20));
    visitor.field("optimizer", training.optimizer, "as PyTorch's of that name");
    visitor.field("schedule", training.schedule, "of the learning rate");
    visitor.field("grad_clip", training.grad_clip, "largest global norm of a gradient; null: none",
                  kPositiveFloat32);
    visitor.field("evaluate", training.evaluate, "when and on what to evaluate");
    visitor.field("target", training.target,
                  "training ends at the first evaluation that reaches it; null: at its last step");
  }
};

}  // namespace qkvlab
