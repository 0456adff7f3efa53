#include "training/attention_record.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <algorithm>

#include "layers/tensor_values.hpp"
#include "training/group_batches.hpp"

namespace qkvlab {

namespace {

std::vector<std::string> texts_of(const Task& task, const at::Tensor& tokens) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < tokens.numel(); ++i) {
    texts.push_back(task.token_text(tokens[i].item<int64_t>()));
  }
  return texts;
}

}  // namespace

AttentionRecord attention_record(const at::Tensor& weights, std::vector<std::string> tokens) {
  AttentionRecord record;
  record.tokens = std::move(tokens);
  record.queries = weights.size(0);
  record.keys = weights.size(1);
  record.weights = float_values(weights);
  record.entropy = float_values(0 - at::xlogy(weights, weights).sum(-1));  // not -0
  record.diagonal = weights.diagonal().mean().item<float>();
  return record;
}

Split evaluated_split(const Task& task) {
  return task.examples(Split::kHeldOut) > 0 ? Split::kHeldOut : Split::kTrain;
}

std::vector<std::vector<AttentionRecord>> attention_maps(const AttentionRecordConfig& config,
                                                         int64_t step, const ModelImpl& model,
                                                         const std::vector<const Task*>& tasks) {
  const torch::NoGradGuard no_grad;
  const at::Device device = model.parameters().front().device();
  std::vector<std::vector<AttentionRecord>> maps(std::max<int64_t>(model.replicas(), 1));
  for (int64_t sample = 0; sample < config.samples; ++sample) {
    const Batch batch = group_batch(tasks, evaluated_split(*tasks.front()), {{sample}});
    const std::vector<at::Tensor> layers =
        model.attention_weights(questions_of(batch, device).input);
    if (layers.empty()) return maps;  // mode `none`
    for (size_t run = 0; run < maps.size(); ++run) {
      const auto own = [&](const at::Tensor& tensor, int64_t dimensions) {
        return tensor.dim() > dimensions ? tensor[static_cast<int64_t>(run)] : tensor;
      };
      // Without padding, which the last window of a text may have even alone.
      const at::Tensor tokens = own(batch.input.tokens, 2);
      const int64_t length = batch.input.valid.defined()
                                 ? own(batch.input.valid, 2).sum().item<int64_t>()
                                 : tokens.size(-1);
      const Task& task = *tasks[tasks.size() == 1 ? 0 : run];
      const std::vector<std::string> texts =
          texts_of(task, tokens.reshape(-1).narrow(0, 0, length));
      for (const int64_t layer : config.layers) {
        for (const int64_t head : config.heads) {
          const at::Tensor weights = own(layers.at(layer), 4)[0][head]
                                         .narrow(0, 0, length)
                                         .narrow(1, 0, length);  // [T, T]
          AttentionRecord record = attention_record(weights, texts);
          record.step = step;
          record.layer = layer;
          record.head = head;
          record.sample = sample;
          maps[run].push_back(std::move(record));
        }
      }
    }
  }
  return maps;
}

}  // namespace qkvlab
