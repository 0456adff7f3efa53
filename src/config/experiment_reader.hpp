#pragma once

#include <string>
#include <vector>

#include "config/experiment_config.hpp"

namespace qkvlab {

/// Reads a config file with overrides (config/overrides.hpp) and resolves it: what is not given has
/// its default, the name that of the file; input files are where they were found; `model.output`
/// says what it is. Input files are looked for in the working directory, in the config file's
/// folder and the one above it (a project whose configs/ lies beside its data/), and among what is
/// shipped with the program.
///
/// Throws UserError with file and line or override, key path, what is wrong, what is allowed and
/// the nearest spelling; also where values do not fit each other or the task.
ExperimentConfig read_experiment_config(const std::string& path,
                                        const std::vector<std::string>& overrides = {});

}  // namespace qkvlab
