#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "config/limits.hpp"
#include "config/projection_plan.hpp"
#include "layers/named_values.hpp"
#include "model/sentiment_trace.hpp"
#include "random/random_source.hpp"
#include "task/sentences.hpp"

namespace qkvlab {

struct SentimentRunOptions {
  ProjectionPlan plan = attention_mode("full");
  RandomScheme scheme = RandomScheme::kTorchStream;
  int64_t seed = 31;
  int64_t sentence = 0;  // the one that is traced, from 0
  int64_t epochs = 100;
  double lr = 0.3;  // of plain SGD
};

/// One epoch: one full-batch step, and how the model stands after it.
struct SentimentEpoch {
  float loss = 0;                     // before the update
  float grad_norm = 0;                // over all parameters
  std::vector<float> gradient_norms;  // of each parameter, in the order of SentimentRun::initial
  float loss_after = 0;
  float accuracy_after = 0;
};

/// Everything that happens to the classifier, as copies that later training does not touch: one
/// sentence forward and backward, one step on it, then the epochs on all sentences.
struct SentimentRun {
  SentimentTraceOptions model;
  std::vector<NamedValue> initial;
  SentimentForward forward;
  at::Tensor loss;                         // [] of the one sentence
  std::vector<NamedValue> after_backward;  // with the gradients of that loss
  std::vector<NamedValue> after_step;
  std::vector<SentimentEpoch> epochs;  // those that were run, in order
  bool diverged = false;               // the last epoch's loss is not finite
  std::vector<NamedValue> trained;
  SentimentForward trained_forward;
  at::Tensor packed_weight;  // [3C, C] after training; undefined in mode `none`
  double seconds = 0;
};

/// Whether two states hold the same values to the last bit.
bool same_values(const std::vector<NamedValue>& a, const std::vector<NamedValue>& b);

/// Called after each epoch, from 1.
using EpochListener = std::function<void(int64_t epoch, const SentimentEpoch&)>;

/// Runs it all. Throws UserError where the sentences need more memory than `limits` allow.
SentimentRun run_sentiment_trace(const Sentences& sentences, const SentimentRunOptions& options,
                                 const Limits& limits = {}, const EpochListener& listener = {});

}  // namespace qkvlab
