#pragma once

#include <string>
#include <vector>

#include "record/run_groups.hpp"

namespace qkvlab {

/// A variant, in a cell of the grid, of an experiment.
struct ExperimentVariant {
  std::string name;
  Cell cell;
  std::string identity;
};

/// All that experiment.json holds; configs and identities are JSON objects as text. Files of
/// version 1 knew no cells: what a cell added to a variant stood in its name, and is left there.
struct ExperimentFile {
  std::string config, identity, environment;
  std::vector<ExperimentVariant> variants;
  std::vector<RunGroup> groups;
  bool knows_cells = true;
};

/// Throws UserError naming the file where it is damaged or was written by a newer version.
ExperimentFile read_experiment_file(const std::string& path);

/// The file appears whole or not at all. Throws UserError where it cannot be written.
void write_experiment_file(const std::string& path, const ExperimentFile& file);

}  // namespace qkvlab
