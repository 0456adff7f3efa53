#pragma once

#include <string>
#include <vector>

#include "model/model.hpp"
#include "training/supervised.hpp"

namespace qkvlab {

/// The path of the first parameter of a run that holds, or whose gradient holds, a number that is
/// not finite, with what it is: "gradient of head.weight"; empty where all are finite. `run` is the
/// replica; a single model has run 0.
std::string first_non_finite(const ModelImpl& model, int64_t run = 0);

/// The first tensor of a step that is not finite, in the order of computation (parameters first),
/// given that the loss or the norm of all gradients of the run is not: `loss_is_finite` says which.
std::string culprit_of(const ModelImpl& model, const std::vector<Questions>& passes,
                       bool loss_is_finite, int64_t run);

}  // namespace qkvlab
