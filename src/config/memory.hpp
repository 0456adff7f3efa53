#pragma once

#include <cstdint>
#include <vector>

#include "config/experiment_config.hpp"
#include "config/model_size.hpp"

namespace qkvlab {

/// Up to how many tokens attention is computed by loops that keep no scores
/// (attention/short_attention.hpp).
constexpr int64_t kLongestShortAttention = 128;

constexpr double kMegabyte = 1e6;  // bytes, as limits.memory_mb and all output count

/// Bytes that a run holds from its first step to its last: weights, their gradients, and what the
/// optimiser keeps of each (SGD with momentum one number, Adam and AdamW two), in float32. What the
/// forward pass keeps for the backward pass is not in it.
int64_t state_bytes(const ModelSize& size, const OptimizerConfig& optimizer);

/// What a process holds at one moment, in bytes, by what takes them.
struct MemoryUse {
  double process = 0;     // the program with LibTorch, before it has a model
  double data = 0;        // what the task is read from, and the examples of a step
  double state = 0;       // weights, and of gradients and the optimiser what is there
  double attention = 0;   // tensors [B, H, T, T]
  double hidden = 0;      // tensors [B, T, F], with F the MLP's hidden width
  double stream = 0;      // tensors [B, T, C]
  double vocabulary = 0;  // logits [N, K] of the N tokens with targets; one-hot tokens [B, T, V]

  double total() const;
};

/// A member of MemoryUse, with its name in JSON and in words.
struct MemoryPart {
  double MemoryUse::*bytes;
  const char* name;
  const char* words;
};

/// All of them.
const std::vector<MemoryPart>& memory_parts();

/// The largest moment of a training on the CPU: what its peak resident memory is predicted to be.
///
/// What is counted are the tensors alive at once, of which LibTorch keeps those that the backward
/// pass asks for: the input and the weights of each product, the input of a norm and of GELU, the
/// output of ReLU and softmax, the mask of a dropout. A run on another device has the same tensors
/// there, and another process. Reads the size of a text's file.
MemoryUse peak_memory(const ExperimentConfig& config, const TaskShape& shape);

}  // namespace qkvlab
