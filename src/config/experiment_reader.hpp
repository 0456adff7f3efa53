#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "config/experiment_config.hpp"

namespace qkvlab {

/// A config with all that it says by itself and by its task's files, and what the task asks of a
/// model.
struct ResolvedConfig {
  ExperimentConfig config;
  TaskShape shape;
};

/// The document of the default config.
const JsonValue& default_document();

/// What read_experiment_config makes of a file's document once overrides are in it. `path` is the
/// file, for its name and its folder.
ResolvedConfig resolve_config(const JsonValue& document, const std::string& path);

/// A config file as it was read, once: it may be a pipe.
struct ConfigFile {
  std::string path;
  std::string text;
};
ConfigFile read_config_file(const std::string& path);

/// Reads a config with overrides (config/overrides.hpp) and resolves it: what is not given has
/// its default, the name that of the file; input files are where they were found; `model.output`
/// says what it is. Input files are looked for in the working directory, in the config file's
/// folder and the one above it (a project whose configs/ lies beside its data/), and among what is
/// shipped with the program.
///
/// Throws UserError with file and line or override, key path, what is wrong, what is allowed and
/// the nearest spelling; also where values do not fit each other or the task.
ExperimentConfig read_experiment_config(const ConfigFile& file,
                                        const std::vector<std::string>& overrides = {});
ExperimentConfig read_experiment_config(const std::string& path,
                                        const std::vector<std::string>& overrides = {});

}  // namespace qkvlab
