#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qkvlab {

/// Reasons that several statistics share, as clauses for Figure::reason.
constexpr const char* kRunDiverged = "a run has no value";
constexpr const char* kTooManyDiverged = "too many runs have no value";
constexpr const char* kTooLarge = "the values are too large to compute with";

/// Why `values`, one per seed, are too few (below `at_least`, which is 1 or 2) or hold a NaN; empty
/// where they will do. Infinite values, diverged runs at the end of every ranking, will do.
std::string fault_of_ranked(const std::vector<double>& values, int64_t at_least);

/// The same where infinite values will not do either: their mean says nothing.
std::string fault_of_finite(const std::vector<double>& values, int64_t at_least);

}  // namespace qkvlab
