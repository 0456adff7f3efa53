#pragma once

#include <string>

#include "config/experiment_config.hpp"

namespace qkvlab {

/// A config with all its defaults as JSON that reads back to the same config: for people, a field a
/// line and a newline at the end;
std::string config_text(const ExperimentConfig& config);
/// and on one line, without blanks.
std::string config_line(const ExperimentConfig& config);

/// A task likewise.
std::string task_line(const TaskConfig& task);

/// What a run's identity is made of: the fields that affect results, seed included, as canonical
/// JSON (keys in the order of their bytes, no blanks, numbers in their shortest form). In place of
/// the path of every input file stands `file_digest`, the task's digest of all it read.
std::string identity_json(const ExperimentConfig& config, const std::string& file_digest);

/// The same whatever the seed: what experiments and variants are told apart by.
std::string identity_of_all_seeds(ExperimentConfig config, const std::string& file_digest);

/// The run's id: 16 hexadecimal digits of the XXH3-128 of identity_json.
std::string run_id(const ExperimentConfig& config, const std::string& file_digest);

}  // namespace qkvlab
