#include "model/transformer.hpp"

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include <algorithm>

#include "model/pooling.hpp"

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
  block.attention.exact = options.exact;
  block.mlp = options.mlp;
  block.norm = options.norm;
  block.residual_dropout = options.residual_dropout;
  return block;
}

bool visit_block(const ModelImpl::Visitor& visit, const std::string& path,
                 const BlockForward& block, NormPlace norm) {
  const Attention& attention = block.attention.attention;
  const bool pre = norm == NormPlace::kPre;
  const at::Tensor nothing;
  return visit_defined(visit, path,
                       {{"norm1", pre ? block.norm1 : nothing},
                        {"attention.q", block.attention.projected.query},
                        {"attention.k", block.attention.projected.key},
                        {"attention.v", block.attention.projected.value},
                        {"attention.products", attention.products},
                        {"attention.scores", attention.scores},
                        {"attention.attention", attention.weights},
                        {"attention.context", attention.context},
                        {"attention.output", block.attention.output},
                        {"residual1", block.residual1},
                        {"norm1", pre ? nothing : block.norm1},
                        {"norm2", pre ? block.norm2 : nothing},
                        {"mlp.preactivation", block.mlp.preactivation},
                        {"mlp.hidden", block.mlp.hidden},
                        {"mlp.output", block.mlp.output},
                        {"residual2", block.residual2},
                        {"norm2", pre ? nothing : block.norm2},
                        {"output", block.output}});
}

}  // namespace

TransformerImpl::TransformerImpl(const TransformerOptions& options, const InitialValues& initial)
    : options_(options) {
  if (options_.outputs == 0) options_.outputs = options_.vocabulary;
  TORCH_CHECK(options_.output != OutputKind::kAuto, "a transformer must be told what has logits");
  TORCH_CHECK(!options_.tie_head || options_.outputs == options_.vocabulary,
              "a head tied to the embedding has one logit per token of the vocabulary");
  token_embedding_ = register_module(
      "token_embedding", TokenEmbedding(options_.embedding, options_.vocabulary, options_.width,
                                        options_.bias, initial.submodule("token_embedding")));
  if (options_.position == PositionKind::kLearned) {
    position_embedding_ = register_module(
        "position_embedding",
        Embedding(options_.max_length, options_.width, initial.submodule("position_embedding")));
  }
  torch::nn::ModuleList blocks;
  for (int64_t layer = 0; layer < options_.layers; ++layer) {
    const std::string name = std::to_string(layer);
    blocks_.emplace_back(block_options(options_), initial.submodule("blocks").submodule(name));
    blocks->push_back(blocks_.back());
  }
  register_module("blocks", blocks);
  if (options_.norm == NormPlace::kPre) {
    norm_ = register_module("norm", LayerNorm(options_.width, options_.bias));
  }
  if (!options_.tie_head) {
    head_ = register_module("head",
                            Linear(LinearOptions{options_.width, options_.outputs, options_.bias},
                                   initial.submodule("head")));
  }
}

TransformerForward TransformerImpl::forward(const TokenInput& input,
                                            const DropoutStep* dropout_step, Keep keep,
                                            const at::Tensor& rows) const {
  check_dropout(dropout_step);
  TransformerForward result;
  result.x = dropout(embed(input), options_.embedding_dropout, "embedding", dropout_step);
  const Mask mask = mask_for(input);
  at::Tensor stream = result.x;  // [B, T, C]
  for (const Block& block : blocks_) {
    BlockForward step = block->forward(stream, mask, dropout_step, keep);
    stream = step.output;
    if (keep == Keep::kEverything) result.blocks.push_back(std::move(step));
  }
  finish(result, stream, input, rows);
  return result;
}

void TransformerImpl::finish(TransformerForward& result, const at::Tensor& stream,
                             const TokenInput& input, const at::Tensor& rows) const {
  TORCH_CHECK(options_.output == OutputKind::kToken || !rows.defined(),
              "a model with logits for sequences has no rows of tokens to choose from");
  at::Tensor last = stream;  // [B, T, C], then what the logits are computed of
  if (options_.output == OutputKind::kLast) {
    last = result.pooled = last_valid(last, input.valid, replicas());  // [B, C]
  }
  // Chosen before the norm and the head, which compute no others.
  if (rows.defined()) last = take_rows(last, rows, replicas());  // [N, C]
  if (!norm_.is_empty()) last = result.norm = norm_->forward(last);
  if (options_.output == OutputKind::kMean) {
    last = result.pooled = mean_over_valid(last, input.valid);  // [B, C]
  }
  // Tied by use, not by registering the embedding twice: the optimiser would step it twice.
  result.logits = head_.is_empty() ? token_embedding_->logits(last) : head_->forward(last);
}

at::Tensor TransformerImpl::logits(const TokenInput& input, const at::Tensor& rows,
                                   const DropoutStep* dropout_step) const {
  return forward(input, dropout_step, Keep::kLogits, rows).logits;
}

std::vector<at::Tensor> TransformerImpl::attention_weights(const TokenInput& input) const {
  std::vector<at::Tensor> weights;
  if (!options_.plan.attends) return weights;
  for (const BlockForward& block : forward(input, nullptr, Keep::kEverything).blocks) {
    weights.push_back(block.attention.attention.weights);  // [B, H, T, T]
  }
  return weights;
}

void TransformerImpl::visit_intermediates(const TokenInput& input, const at::Tensor& rows,
                                          const DropoutStep* dropout_step,
                                          const Visitor& visit) const {
  check_dropout(dropout_step);
  at::Tensor stream =
      dropout(embed(input), options_.embedding_dropout, "embedding", dropout_step);  // [B, T, C]
  if (!visit("x", stream)) return;
  const Mask mask = mask_for(input);
  for (size_t layer = 0; layer < blocks_.size(); ++layer) {
    const BlockForward block =
        blocks_[layer]->forward(stream, mask, dropout_step, Keep::kEverything);
    const std::string path = "blocks." + std::to_string(layer) + ".";
    if (!visit_block(visit, path, block, options_.norm)) return;
    stream = block.output;
  }
  TransformerForward found;
  finish(found, stream, input, rows);
  const bool mean = options_.output == OutputKind::kMean;
  if (visit_defined(visit, "",
                    {{"pooled", mean ? at::Tensor() : found.pooled},
                     {"norm", found.norm},
                     {"pooled", mean ? found.pooled : at::Tensor()},
                     {"logits", found.logits}})) {
    visit("probabilities", at::softmax(found.logits, -1));
  }
}

void TransformerImpl::check_dropout(const DropoutStep* dropout_step) const {
  TORCH_CHECK(dropout_step == nullptr || static_cast<int64_t>(dropout_step->sources.size()) ==
                                             std::max<int64_t>(replicas(), 1),
              "dropout needs one random source per replica");
}

at::Tensor TransformerImpl::embed(const TokenInput& input) const {
  const at::Tensor tokens = token_embedding_->forward(input.tokens);  // [B, T, C]
  if (position_embedding_.is_empty()) return tokens;
  TORCH_CHECK(input.tokens.size(-1) <= options_.max_length, "a sequence of ", input.tokens.size(-1),
              " tokens is longer than max_length ", options_.max_length);
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

int64_t TransformerImpl::replicas() const { return token_embedding_->replicas(); }

}  // namespace qkvlab
