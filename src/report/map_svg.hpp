#pragma once

#include <string>

#include "record/records.hpp"

namespace qkvlab {

/// The most queries or keys of a map that is drawn on paper.
constexpr int64_t kMostTokensOnPaper = 24;

/// An attention map as a small picture of its own size, tokens beside it, weights in its cells
/// where they have room; with its step, entropy and diagonal beneath.
std::string map_figure(const AttentionRecord& map);

}  // namespace qkvlab
