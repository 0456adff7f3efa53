#include "training/attention_record.hpp"

#include <ATen/ATen.h>

#include "layers/tensor_values.hpp"

namespace qkvlab {

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

}  // namespace qkvlab
