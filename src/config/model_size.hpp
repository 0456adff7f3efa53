#pragma once

#include <cstdint>

#include "config/model_config.hpp"
#include "config/task_config.hpp"

namespace qkvlab {

/// What a model costs, by closed forms.
struct ModelSize {
  // Parameters.
  int64_t token_embedding = 0;
  int64_t position_embedding = 0;
  int64_t attention = 0;  // projections, the output's too
  int64_t mlp = 0;
  int64_t norms = 0;
  int64_t head = 0;  // 0 where it is the token embedding

  /// FLOPs of a forward pass, for each token of a sequence as long as the task's longest.
  double forward_flops = 0;

  int64_t parameters() const {
    return token_embedding + position_embedding + attention + mlp + norms + head;
  }
  /// The same of a training step: the backward pass multiplies twice as much, once for the
  /// gradients of weights and once for those of inputs.
  double training_flops() const { return 3 * forward_flops; }
};

/// The size of a model that is to learn a task of this shape.
///
/// FLOPs are counted as in Chowdhery et al. 2022 ("PaLM", appendix B): two for each weight that a
/// token is multiplied with, and 4 T C in each layer for QKᵀ and the weighted sum of values, with T
/// the tokens of a sequence; masked products are computed too, and count. Lookups, biases, norms,
/// softmax and activations do not count. A head that is applied once a sequence costs each of its
/// tokens a T-th.
ModelSize model_size(const ModelConfig& model, const TaskShape& shape);

}  // namespace qkvlab
