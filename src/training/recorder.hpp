#pragma once

#include "config/experiment_config.hpp"
#include "model/model.hpp"
#include "record/run_sink.hpp"
#include "task/task.hpp"
#include "training/evaluation.hpp"

namespace qkvlab {

/// The split that is evaluated, and whose first examples attention is recorded of: what is held
/// out, or where nothing is the training split.
Split evaluated_split(const Task& task);

/// Writes the records of a training run, each kind when it is due. What is asked for never costs
/// nothing.
class Recorder {
 public:
  Recorder(const RecordConfig& config, RunSink sink) : config_(config), sink_(std::move(sink)) {}

  /// Step `step` (from 1) before its update: its loss, rate and gradient norms, where they are due.
  void step(int64_t step, float loss, double lr, float grad_norm) const;
  bool gradients_are_due(int64_t step) const;
  void gradients(int64_t step, const NamedTensors& norms) const;

  void evaluation(const Evaluation& evaluation) const;

  /// The attention maps after `step` (0: before training) of the layers, heads and samples that are
  /// asked for. They are due before training, after every so many steps, and after the last one.
  bool attention_is_due(int64_t step, bool last) const;
  void attention(int64_t step, const ModelImpl& model, const Task& task) const;

 private:
  RecordConfig config_;
  RunSink sink_;
};

}  // namespace qkvlab
