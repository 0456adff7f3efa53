#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qkvlab {

/// Another value of a field of a config.
struct FieldOverride {
  std::string path;   // dotted
  std::string value;  // as JSON
};

/// A config that differs from the base config in some fields. A name that is an attention mode's
/// means that mode, whatever else differs, unless the overrides say themselves what attention is.
struct VariantConfig {
  std::string name;
  std::vector<FieldOverride> overrides;
};

/// A field with the values that it takes, one after another, in every variant.
struct GridAxis {
  std::string path;                 // dotted
  std::vector<std::string> values;  // as JSON
};

/// What `qkvlab ablate` compares: every variant, in every cell of the grid, with every seed.
struct AblationConfig {
  std::string baseline = "full";        // a variant or an attention mode; it always runs
  std::vector<VariantConfig> variants;  // empty: all attention modes
  std::vector<int64_t> seeds = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<GridAxis> grid;
  bool match_parameters = false;  // by the hidden width of the MLP
};

}  // namespace qkvlab
