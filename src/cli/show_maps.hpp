#pragma once

#include <string>
#include <vector>

#include "cli/shown_maps.hpp"
#include "cli/shown_runs.hpp"
#include "report/text_style.hpp"

namespace qkvlab {

/// The attention maps of the first run of each variant, with one scale for all and what options
/// show the others. `narrowed`: an option chose among the maps, so that more are shown of each
/// variant.
std::string maps_text(const ShownMaps& maps, const std::vector<ShownVariant>& variants,
                      bool narrowed, const TextStyle& style);

}  // namespace qkvlab
