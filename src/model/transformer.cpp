#include "model/transformer.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include <algorithm>

#include "layers/replica_shape.hpp"

namespace qkvlab {

namespace {

BlockOptions block_options(const TransformerOptions& options) {
  BlockOptions block;
  block.attention.plan = options.plan;
  block.attention.width = options.width;
  block.attention.heads = options.heads;
  block.attention.bias = options.bias;
  block.attention.packed = options.packed;
  block.attention.dropout = options.attention_dropout;
  block.mlp_ratio = options.mlp_ratio;
  block.residual_dropout = options.residual_dropout;
  return block;
}

}  // namespace

TransformerImpl::TransformerImpl(const TransformerOptions& options, const InitialValues& initial)
    : options_(options) {
  if (options_.outputs == 0) options_.outputs = options_.vocabulary;
  TORCH_CHECK(!options_.tie_head || options_.outputs == options_.vocabulary,
              "a head tied to the embedding has one logit per token of the vocabulary");
  token_embedding_ = register_module(
      "token_embedding",
      Embedding(options_.vocabulary, options_.width, initial.submodule("token_embedding")));
  position_embedding_ = register_module(
      "position_embedding",
      Embedding(options_.max_length, options_.width, initial.submodule("position_embedding")));
  torch::nn::ModuleList blocks;
  for (int64_t layer = 0; layer < options_.layers; ++layer) {
    const std::string name = std::to_string(layer);
    blocks_.emplace_back(block_options(options_), initial.submodule("blocks").submodule(name));
    blocks->push_back(blocks_.back());
  }
  register_module("blocks", blocks);
  norm_ = register_module("norm", LayerNorm(options_.width, options_.bias));
  if (!options_.tie_head) {
    head_ = register_module("head",
                            Linear(LinearOptions{options_.width, options_.outputs, options_.bias},
                                   initial.submodule("head")));
  }
}

TransformerForward TransformerImpl::forward(const TokenInput& input,
                                            const DropoutStep* dropout_step, Keep keep) const {
  TORCH_CHECK(input.tokens.size(-1) <= options_.max_length, "a sequence of ", input.tokens.size(-1),
              " tokens is longer than max_length ", options_.max_length);
  TORCH_CHECK(dropout_step == nullptr || static_cast<int64_t>(dropout_step->sources.size()) ==
                                             std::max<int64_t>(replicas(), 1),
              "dropout needs one random source per replica");
  TransformerForward result;
  result.x = dropout(embed(input), options_.embedding_dropout, "embedding", dropout_step);
  const Mask mask = mask_for(input);
  at::Tensor stream = result.x;  // [B, T, C]
  for (const Block& block : blocks_) {
    BlockForward step = block->forward(stream, mask, dropout_step);
    stream = step.output;
    if (keep == Keep::kEverything) result.blocks.push_back(std::move(step));
  }
  stream = norm_->forward(stream);
  // Tied by use, not by registering the embedding twice: the optimiser would step it twice.
  result.logits = head_.is_empty() ? apply_linear(stream, token_embedding_->weight)
                                   : head_->forward(stream);  // [B, T, V]
  return result;
}

at::Tensor TransformerImpl::embed(const TokenInput& input) const {
  const at::Tensor tokens = token_embedding_->forward(input.tokens);
  if (input.valid.defined()) {
    return tokens + position_embedding_->forward(position_ids(input.valid));
  }
  // [T, C] or [R, T, C]: the same for every sequence.
  const at::Tensor positions = position_embedding_->weight.narrow(-2, 0, input.tokens.size(-1));
  return tokens + (replicas() == 0 ? positions : positions.unsqueeze(1));  // [B, T, C]
}

Mask TransformerImpl::mask_for(const TokenInput& input) const {
  const int64_t length = input.tokens.size(-1);
  const Mask order = options_.causal ? Mask::causal(length, length, input.tokens.device()) : Mask();
  return input.valid.defined() ? order & Mask::key_padding(input.valid) : order;
}

int64_t TransformerImpl::replicas() const { return replicas_of(token_embedding_->weight, 2); }

}  // namespace qkvlab
