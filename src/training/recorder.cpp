#include "training/recorder.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <algorithm>

#include "layers/tensor_values.hpp"
#include "training/attention_record.hpp"
#include "training/supervised.hpp"

namespace qkvlab {

namespace {

bool is_due(int64_t step, int64_t every) { return every > 0 && step % every == 0; }

std::vector<std::string> words_of(const Task& task, const at::Tensor& tokens) {
  std::vector<std::string> words;
  for (int64_t i = 0; i < tokens.numel(); ++i) {
    words.push_back(task.token_text(tokens[i].item<int64_t>()));
  }
  return words;
}

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

void Recorder::gradients(int64_t step, const NamedTensors& norms) const {
  if (!is_due(step, config_.gradients)) return;
  GradientsRecord record;
  record.step = step;
  for (const auto& [path, norm] : norms) record.norms.emplace_back(path, norm.item<float>());
  sink_.emit(record);
}

void Recorder::evaluation(int64_t step, const Evaluation& evaluation) const {
  EvaluationRecord record;
  record.step = step;
  record.split = evaluation.split;
  record.loss = static_cast<float>(evaluation.loss);
  for (const auto& [name, value] : evaluation.metrics) {
    record.metrics.emplace_back(name, static_cast<float>(value));
  }
  sink_.emit(record);
}

bool Recorder::attention_is_due(int64_t step, bool last) const {
  return config_.attention.every > 0 && (last || is_due(step, config_.attention.every));
}

void Recorder::attention(int64_t step, const ModelImpl& model, const Task& task) const {
  const torch::NoGradGuard no_grad;
  const bool held_out = task.examples(Split::kHeldOut) > 0;
  const Split split = held_out ? Split::kHeldOut : Split::kTrain;
  const at::Device device = model.parameters().front().device();
  // One by one, so that none is padded.
  for (int64_t sample = 0; sample < config_.attention.samples; ++sample) {
    const Batch batch = to_device(task.batch(split, sample), device);
    const std::vector<at::Tensor> layers = model.attention_weights(batch.input);
    if (layers.empty()) continue;  // mode `none`
    for (const int64_t layer : config_.attention.layers) {
      for (const int64_t head : config_.attention.heads) {
        const at::Tensor weights = layers.at(layer)[0][head];  // [T, T]
        AttentionRecord record =
            attention_record(weights, words_of(task, batch.input.tokens.reshape(-1)));
        record.step = step;
        record.layer = layer;
        record.head = head;
        record.sample = sample;
        sink_.emit(std::move(record));
      }
    }
  }
}

}  // namespace qkvlab
