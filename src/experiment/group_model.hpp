#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/experiment_config.hpp"
#include "layers/named_values.hpp"
#include "record/run_groups.hpp"
#include "training/trainer.hpp"

namespace qkvlab {

/// The models of a group of runs as one, and what they learn from.
struct GroupModel {
  std::vector<std::unique_ptr<Task>> tasks;
  GroupSources sources;              // refers to the tasks
  std::shared_ptr<ModelImpl> model;  // stacked; a single one under `torch_stream`
  std::string file_digest;           // of what the task was read from
};

/// Told of each run's model before it is stacked, its parameters as they were drawn.
using DrawnModel = std::function<void(size_t run, const std::vector<NamedValue>& initial)>;

/// The digest of what a config's task is read from, part of a run's identity; empty where its
/// examples are drawn. Reads the file.
std::string file_digest_of(const ExperimentConfig& config);

/// Throws UserError where this machine has no such device as a config asks for ("cuda:1"). Begins
/// no CUDA in this process, which may still fork.
void refuse_missing_device(const RunConfig& config);

/// Draws the model of each run from its seed, and stacks them, on the config's device. A task that
/// reads a file is made once.
GroupModel make_group_model(const ExperimentConfig& config, const std::vector<SeedRun>& runs,
                            const DrawnModel& drawn);

}  // namespace qkvlab
