#pragma once

#include <cstdint>

#include "config/model_size.hpp"

namespace qkvlab {

/// The MLP of a model's blocks, or nullptr where it has none.
MlpConfig* mlp_of(ModelConfig& model);

/// The model's width.
int64_t width_of(const ModelConfig& model);

/// The hidden width of the MLP, within its range, with which the model has as nearly as can be so
/// many parameters; the smaller one of two that are as near. The model must have an MLP (checked).
int64_t matching_hidden_width(ModelConfig model, const TaskShape& shape, int64_t parameters);

}  // namespace qkvlab
