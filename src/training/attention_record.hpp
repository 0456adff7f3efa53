#pragma once

#include <string>
#include <vector>

#include "config/experiment_config.hpp"
#include "model/model.hpp"
#include "record/records.hpp"
#include "task/task.hpp"

namespace qkvlab {

/// The record of one attention map, weights [Tq, Tk] before dropout, with the entropy of each row
/// (−Σ w ln w in nats, 0 ln 0 = 0) and the mean weight of a position on itself. `tokens` are the
/// keys'.
AttentionRecord attention_record(const at::Tensor& weights, std::vector<std::string> tokens);

/// The split that is evaluated, and whose first examples attention is recorded of: what is held
/// out, or where nothing is the training split.
Split evaluated_split(const Task& task);

/// The maps of the layers, heads and samples that are asked for, of every replica (of a single
/// model, one list), with nothing dropped; `step` is entered in them. `tasks` as for evaluate().
/// Empty lists in mode `none`.
std::vector<std::vector<AttentionRecord>> attention_maps(const AttentionRecordConfig& config,
                                                         int64_t step, const ModelImpl& model,
                                                         const std::vector<const Task*>& tasks);

}  // namespace qkvlab
