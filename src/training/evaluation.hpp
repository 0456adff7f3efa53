#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/model.hpp"
#include "task/task.hpp"

namespace qkvlab {

/// How a model stands on a split.
struct Evaluation {
  int64_t step = 0;   // after whose update
  std::string split;  // as records call it
  double loss = 0;    // mean cross-entropy in nats over the supervised positions
  std::vector<std::pair<std::string, double>> metrics;  // by the names of metric_names()
};

/// The metrics of a task beside the loss: `accuracy`, the share of supervised positions whose
/// largest logit is the target's; and for a task of long answers `exact`, the share of sequences in
/// which all of them are right. Under causal attention that is the share that greedy decoding gets
/// right: where every token is right given the right ones before it, the greedy answer is those
/// tokens, one by one.
std::vector<std::string> metric_names(const Task& task);

/// Evaluates without dropout on a split, `batch_size` examples at a time: on all of them, or where
/// `batches` says so on as many batches, spread evenly. Data and order do not depend on the step.
/// `tasks` has one task for all replicas, or each replica's own; gives one evaluation per replica
/// (one of a single model).
std::vector<Evaluation> evaluate(const ModelImpl& model, const std::vector<const Task*>& tasks,
                                 Split split, int64_t batch_size,
                                 std::optional<int64_t> batches = {});

/// The first example of each batch that evaluate() takes.
std::vector<int64_t> evaluation_starts(int64_t examples, int64_t batch_size,
                                       std::optional<int64_t> batches);

}  // namespace qkvlab
