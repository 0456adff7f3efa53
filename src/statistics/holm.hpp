#pragma once

#include <vector>

namespace qkvlab {

/// The p-values of several tests, adjusted so that rejecting those at or below a level errs in any
/// of them with at most that probability (Holm 1979): the i-th smallest of m is multiplied by m − i
/// + 1, made no smaller than the one before it, and at most 1. In the order given.
std::vector<double> holm(const std::vector<double>& p);

/// Several p-values of which one is asked after the other what holm() would make of it if it were
/// another, each in the time of a look-up.
class HolmLadder {
 public:
  explicit HolmLadder(std::vector<double> p);

  /// The adjusted p of `instead` in the place of `own`, which is one of those given, the others as
  /// they are.
  double adjusted(double own, double instead) const;

 private:
  std::vector<double> sorted_;
  std::vector<double> highest_;  // of each and those before it, multiplied: its adjusted p
};

}  // namespace qkvlab
