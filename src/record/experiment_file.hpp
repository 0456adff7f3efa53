#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record/run_groups.hpp"

namespace qkvlab {

/// All that experiment.json holds; configs and identities are JSON objects as text.
struct ExperimentFile {
  std::string config, identity, environment;
  std::vector<std::pair<std::string, std::string>> variants;  // name, identity
  std::vector<RunGroup> groups;
};

/// Throws UserError naming the file where it is damaged or was written by a newer version.
ExperimentFile read_experiment_file(const std::string& path);

/// The file appears whole or not at all. Throws UserError where it cannot be written.
void write_experiment_file(const std::string& path, const ExperimentFile& file);

}  // namespace qkvlab
