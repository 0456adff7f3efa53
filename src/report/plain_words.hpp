#pragma once

#include <string>
#include <vector>

#include "statistics/comparison.hpp"

namespace qkvlab {

/// A comparison in plain sentences: of each variant what differs, by how much, and what cannot be
/// told yet; what was averaged, counted by rank or left out; which figures there are not, and why.
std::vector<std::string> plain_words(const Comparison& comparison);

}  // namespace qkvlab
