#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "config/ablation_config.hpp"

namespace qkvlab {

/// The parts of `ablation` that are written in a form of their own. All throw UserError at the
/// place of what is wrong.

/// Seeds: "0..4,10", or a list of integers and such texts. At least one, at most kMaxSeeds, none
/// twice; in the order in which they stand.
std::vector<int64_t> read_seeds(const JsonValue& json);
/// The same of an option's value, "0..4,10"; complaints name the option.
std::vector<int64_t> read_seeds(const std::string& text, const std::string& option);
constexpr int64_t kMaxSeeds = 1'000'000;

/// Variants: an object of names with the overrides of each, or a list of attention modes.
std::vector<VariantConfig> read_variants(const JsonValue& json);

/// A grid: an object of paths with a list of different values each.
std::vector<GridAxis> read_grid(const JsonValue& json);

/// Seeds as read_seeds reads them, ranges for those that follow one another: "0..4,10".
std::string seeds_text(const std::vector<int64_t>& seeds);

/// What paths may be ablated, as a regular expression (ECMA 262) for schemas.
std::string ablated_path_pattern();
/// What texts of seeds look like, likewise.
std::string seeds_pattern();

}  // namespace qkvlab
