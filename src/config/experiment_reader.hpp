#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "config/experiment_config.hpp"
#include "config/task_facts.hpp"

namespace qkvlab {

/// A config with all that it says by itself and by its task's files.
struct ResolvedConfig {
  ExperimentConfig config;
  TaskFacts task;
};

/// The document of the default config.
const JsonValue& default_document();

/// Largest config file, in bytes: a document takes some forty times the memory of its text.
constexpr int64_t kMaxConfigBytes = int64_t{8} << 20;

/// The document of a config file with its overrides. Throws UserError where the file is too large
/// or not JSON, or an override is none.
JsonValue read_config_document(const std::string& path, const std::vector<std::string>& overrides);

/// What read_experiment_config makes of a file's document once overrides are in it. `path` is the
/// file, for its name and its folder.
ResolvedConfig resolve_config(const JsonValue& document, const std::string& path,
                              TaskReader& tasks);

/// Reads a config with overrides (config/overrides.hpp) and resolves it: what is not given has
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
