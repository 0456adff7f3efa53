#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qkvlab {

/// The candidate that `word` was probably meant to be: the one at the smallest Damerau–Levenshtein
/// distance (optimal string alignment), if that is at most a third of the longer word, rounded up,
/// and leaves something in common; where none is so near, the first whose last part, after the last
/// '.', is that of `word` ("validation.accuracy" for "test.accuracy"). Case does not count. Ties go
/// to the earlier candidate.
std::optional<std::string> nearest_spelling(std::string_view word,
                                            const std::vector<std::string>& candidates);

/// "a, b or c".
std::string list_of_names(const std::vector<std::string>& names);

/// "unknown mode 'unifrm'; allowed: full, uniform or none; did you mean 'uniform'?" where `what` is
/// "mode". The last part only where a candidate is near.
std::string unknown_name(std::string_view what, std::string_view given,
                         const std::vector<std::string>& allowed);

}  // namespace qkvlab
