#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "record/records.hpp"

namespace qkvlab {

/// The record of one attention map, weights [Tq, Tk] before dropout, with the entropy of each row
/// (−Σ w ln w in nats, 0 ln 0 = 0) and the mean weight of a position on itself. `tokens` are the
/// keys'.
AttentionRecord attention_record(const at::Tensor& weights, std::vector<std::string> tokens);

}  // namespace qkvlab
