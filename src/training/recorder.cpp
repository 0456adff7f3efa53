#include "training/recorder.hpp"

#include <utility>

namespace qkvlab {

namespace {

bool is_due(int64_t step, int64_t every) { return every > 0 && step % every == 0; }

}  // namespace

void Recorder::step(int64_t step, float loss, double lr, float grad_norm) const {
  if (!is_due(step, config_.step)) return;
  StepRecord record;
  record.step = step;
  record.loss = loss;
  record.lr = lr;
  record.grad_norm = grad_norm;
  sink_.emit(record);
}

bool Recorder::gradients_are_due(int64_t step) const { return is_due(step, config_.gradients); }

void Recorder::gradients(int64_t step, NamedFloats norms) const {
  GradientsRecord record;
  record.step = step;
  record.norms = std::move(norms);
  sink_.emit(std::move(record));
}

void Recorder::evaluation(const Evaluation& evaluation) const {
  EvaluationRecord record;
  record.step = evaluation.step;
  record.split = evaluation.split;
  record.loss = static_cast<float>(evaluation.loss);
  for (const auto& [name, value] : evaluation.metrics) {
    record.metrics.emplace_back(name, static_cast<float>(value));
  }
  sink_.emit(std::move(record));
}

bool Recorder::attention_is_due(int64_t step, bool last) const {
  return config_.attention.every > 0 && (last || is_due(step, config_.attention.every));
}

void Recorder::attention(std::vector<AttentionRecord> maps) const {
  for (AttentionRecord& map : maps) sink_.emit(std::move(map));
}

}  // namespace qkvlab
