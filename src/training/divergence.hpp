#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "training/supervised.hpp"

namespace qkvlab {

/// Of each of these runs of a group (from 0; a single model has run 0) the path of the first
/// parameter that holds, or whose gradient holds, a number that is not finite, with what it is:
/// "gradient of head.weight"; empty where all are finite.
std::vector<std::string> first_non_finite(const ModelImpl& model, const std::vector<int64_t>& runs);

/// A run that has diverged: its loss, or the norm of all its gradients, is not finite.
struct DivergedRun {
  int64_t run = 0;
  bool loss_is_finite = false;
};

/// Of each run the first tensor of a step that is not finite, in the order of computation
/// (parameters first). Computes the step's forward passes once more, without gradients and at most
/// once for all runs together, with what `dropout_step`, that of the step's first pass, drops.
std::vector<std::string> culprits_of(const ModelImpl& model, const std::vector<Questions>& passes,
                                     DropoutStep dropout_step,
                                     const std::vector<DivergedRun>& diverged);

}  // namespace qkvlab
