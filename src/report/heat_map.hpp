#pragma once

#include <string>
#include <vector>

#include "record/records.hpp"
#include "report/map_layout.hpp"
#include "report/text_block.hpp"
#include "report/text_style.hpp"
#include "report/weight_scale.hpp"

namespace qkvlab {

struct HeatMap {
  TextBlock block;
  bool names_tokens = true;  // else numbers stand for them, from 0
};

/// An attention map as text: a row for each query with its token at the left, a column for each
/// key.
///
/// As large as there is room for: cells that name their weight, under the tokens of the keys; else
/// two columns to a cell; else one, with colours two queries to a line (half-blocks); else cells
/// that stand for the mean of several weights, which a line beneath says. Where tokens do not fit
/// beside the rows and above the columns, numbers (from 0) do. `title` comes first, line by line.
HeatMap heat_map(const AttentionRecord& map, const std::vector<std::string>& title,
                 const WeightScale& scale, const TextStyle& style, const MapRoom& room);

}  // namespace qkvlab
