#pragma once

#include <cstdint>
#include <string>

#include "statistics/comparison.hpp"
#include "statistics/holm.hpp"

namespace qkvlab {

/// What the sentences on all variants of a comparison refer to, found once.
struct ComparedVariants {
  explicit ComparedVariants(const Comparison& comparison);

  const Comparison& comparison;
  const VariantComparison* baseline = nullptr;  // where it has runs
  int64_t tests = 0;                            // over how many p are adjusted
  HolmLadder p;                                 // of them
};

/// The sentences on the difference of one variant to the baseline (it is paired or tested
/// unpaired): whether there is one at the 5 % level after Holm's adjustment, how large it is, and
/// what so few seeds cannot tell. Where runs diverged the ranks of all pairs decide, and a mean of
/// those that finished is never called better or worse.
std::string variant_words(const ComparedVariants& compared, const VariantComparison& variant);

}  // namespace qkvlab
