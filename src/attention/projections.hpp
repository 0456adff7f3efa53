#pragma once

#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "config/projection_plan.hpp"
#include "layers/linear.hpp"
#include "layers/packed_linear.hpp"

namespace qkvlab {

struct ProjectionOptions {
  ProjectionPlan plan;
  int64_t width = 0;  // C
  bool bias = true;
  bool packed = false;  // one weight for all that is learned, instead of one each
  bool exact = true;    // see LinearOptions
};

/// Query, key and value, each of the shape of their input.
struct QueryKeyValue {
  at::Tensor query, key, value;
};

/// Whether query or key is zero under a plan, and so every score.
bool scores_are_zero(const ProjectionPlan& plan);

/// The projections of a plan. Their parameters belong to the module that owns them, as its children
/// `q_proj`, `k_proj`, `v_proj` (those that the plan learns), or as one child `in_proj` when
/// packed.
class Projections {
 public:
  /// Registers the learned projections in `owner`; draws q, k, v in this order, weight before bias,
  /// packed or not.
  Projections(const ProjectionOptions& options, torch::nn::Module& owner,
              const InitialValues& initial);

  /// x [..., T, C] (or [R, ..., T, C]).
  QueryKeyValue forward(const at::Tensor& x) const;

 private:
  ProjectionOptions options_;
  std::vector<Linear> separate_;  // one per learned projection, in the order of learned()
  PackedLinear packed_{nullptr};
};

}  // namespace qkvlab
