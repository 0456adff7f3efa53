#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/experiment_config.hpp"
#include "config/experiment_reader.hpp"
#include "config/model_size.hpp"

namespace qkvlab {

/// One config of an ablation, which runs with every seed.
struct Variant {
  std::string name;         // "uniform"; with a grid "uniform model.n_layers=1,training.steps=9"
  std::string baseline;     // what it is compared with: the baseline in the same cell of the grid
  ExperimentConfig config;  // resolved, without `ablation`; its seed is the first one
  TaskShape shape;
  ModelSize size;
  std::optional<int64_t>
      hidden_before;  // the MLP's hidden width, where match_parameters changed it
};

/// What `qkvlab ablate` runs: every variant with every seed.
struct AblationPlan {
  ExperimentConfig base;          // what the config says without variants
  std::string baseline;           // its name, without that of a cell
  std::vector<Variant> variants;  // cell by cell, the baseline first in each
  std::vector<int64_t> seeds;     // in the order in which they were given, none twice
};

/// What the command line says instead of the config.
struct AblationChoice {
  std::vector<std::string> variants;  // of the config or modes; empty: those of the config
  std::string seeds;                  // "0..9,20"; empty: those of the config
};

/// Reads a config as read_experiment_config does, and what is to be ablated of it: its section
/// `ablation`, or what that says by default. The overrides change the base config; those of a
/// variant and of its cell of the grid go over them.
///
/// Throws UserError as read_experiment_config does, for every variant; a complaint names the place
/// in `ablation` ("x.json:12: ablation.variants.wide.model.mlp.ratoi: unknown key …") or, where
/// what does not fit stands elsewhere, the variant before that place ("variant 'wide': x.json:4:
/// …"). Also where two variants come out the same, the baseline is no variant, or the runs are too
/// many.
AblationPlan read_ablation_plan(const ConfigFile& file, const std::vector<std::string>& overrides,
                                const AblationChoice& choice);
AblationPlan read_ablation_plan(const std::string& path, const std::vector<std::string>& overrides,
                                const AblationChoice& choice);

}  // namespace qkvlab
