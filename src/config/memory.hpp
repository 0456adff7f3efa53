#pragma once

#include <cstdint>

#include "config/model_size.hpp"
#include "config/training_config.hpp"

namespace qkvlab {

/// Bytes that a run holds from its first step to its last: weights, their gradients, and what the
/// optimiser keeps of each (SGD with momentum one number, Adam and AdamW two), in float32. What the
/// forward pass keeps for the backward pass is not in it.
int64_t state_bytes(const ModelSize& size, const OptimizerConfig& optimizer);

}  // namespace qkvlab
