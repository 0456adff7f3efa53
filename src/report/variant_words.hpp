#pragma once

#include <string>

#include "statistics/comparison.hpp"

namespace qkvlab {

/// The sentences on the difference of one variant to the baseline (it is paired or tested
/// unpaired): whether there is one at the 5 % level after Holm's adjustment, how large it is, and
/// what so few seeds cannot tell. Where runs diverged the ranks of all pairs decide, and a mean of
/// those that finished is never called better or worse.
std::string variant_words(const Comparison& comparison, const VariantComparison& variant);

}  // namespace qkvlab
