#pragma once

#include <vector>

namespace qkvlab {

/// The p-values of several tests, adjusted so that rejecting those at or below a level errs in any
/// of them with at most that probability (Holm 1979): the i-th smallest of m is multiplied by m − i
/// + 1, made no smaller than the one before it, and at most 1. In the order given.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace qkvlab
