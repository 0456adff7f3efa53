#pragma once

#include <vector>

#include "config/experiment_config.hpp"
#include "record/run_sink.hpp"
#include "training/evaluation.hpp"

namespace qkvlab {

/// Writes the records of one run in training, each kind when it is due. What is not asked for costs
/// nothing.
class Recorder {
 public:
  Recorder(const RecordConfig& config, RunSink sink) : config_(config), sink_(std::move(sink)) {}

  /// Step `step` (from 1) before its update: its loss, rate and gradient norms, where they are due.
  void step(int64_t step, float loss, double lr, float grad_norm) const;
  bool gradients_are_due(int64_t step) const;
  void gradients(int64_t step, NamedFloats norms) const;

  void evaluation(const Evaluation& evaluation) const;

  /// Attention is due before training (step 0), after every so many steps, and after the last one.
  bool attention_is_due(int64_t step, bool last) const;
  void attention(std::vector<AttentionRecord> maps) const;

 private:
  RecordConfig config_;
  RunSink sink_;
};

}  // namespace qkvlab
