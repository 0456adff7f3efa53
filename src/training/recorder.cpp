#include "training/recorder.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include "layers/tensor_values.hpp"
#include "training/attention_record.hpp"
#include "training/supervised.hpp"

namespace qkvlab {

namespace {

bool is_due(int64_t step, int64_t every) { return every > 0 && step % every == 0; }

std::vector<std::string> texts_of(const Task& task, const at::Tensor& tokens) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < tokens.numel(); ++i) {
    texts.push_back(task.token_text(tokens[i].item<int64_t>()));
  }
  return texts;
}

}  // namespace

Split evaluated_split(const Task& task) {
  return task.examples(Split::kHeldOut) > 0 ? Split::kHeldOut : Split::kTrain;
}

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

void Recorder::gradients(int64_t step, const NamedTensors& norms) const {
  GradientsRecord record;
  record.step = step;
  for (const auto& [path, norm] : norms) record.norms.emplace_back(path, norm.item<float>());
  sink_.emit(record);
}

void Recorder::evaluation(const Evaluation& evaluation) const {
  EvaluationRecord record;
  record.step = evaluation.step;
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
  const at::Device device = model.parameters().front().device();
  for (int64_t sample = 0; sample < config_.attention.samples; ++sample) {
    const Batch batch = task.batch(evaluated_split(task), sample);
    const std::vector<at::Tensor> layers =
        model.attention_weights(questions_of(batch, device).input);
    if (layers.empty()) return;  // mode `none`
    // Without padding, which the last window of a text may have even alone.
    const int64_t length = batch.input.valid.defined() ? batch.input.valid.sum().item<int64_t>()
                                                       : batch.input.tokens.size(-1);
    const std::vector<std::string> texts =
        texts_of(task, batch.input.tokens.reshape(-1).narrow(0, 0, length));
    for (const int64_t layer : config_.attention.layers) {
      for (const int64_t head : config_.attention.heads) {
        const at::Tensor weights =
            layers.at(layer)[0][head].narrow(0, 0, length).narrow(1, 0, length);  // [T, T]
        AttentionRecord record = attention_record(weights, texts);
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
