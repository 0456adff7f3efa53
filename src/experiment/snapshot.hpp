#pragma once

#include <vector>

#include "layers/named_values.hpp"

namespace qkvlab {

enum class Gradients { kLeftOut, kCopied };

/// A copy of all parameters, and of their gradients where those are wanted and there, that training
/// does not touch.
std::vector<NamedValue> snapshot(const torch::nn::Module& model,
                                 Gradients gradients = Gradients::kLeftOut);

}  // namespace qkvlab
