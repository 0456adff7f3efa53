#pragma once

#include <cstdint>

#include "config/experiment_config.hpp"
#include "config/memory.hpp"

namespace qkvlab {

/// What a process holds at most while it trains a group of runs of a config as one stacked model:
/// peak_memory, where all but the program and what the runs share is there for each of them.
MemoryUse group_memory(const ExperimentConfig& config, const TaskShape& shape, int64_t replicas);

/// How many runs of a config are trained as one stacked model: `run.replicas` where that is given,
/// else as many as it takes to make LibTorch's cost of each call small, and no more than what a
/// step touches fits a core's cache or the limit of memory allows. Depends on the config alone, so
/// that a sweep is divided the same on every machine and for any number of workers.
int64_t replicas_of_group(const ExperimentConfig& config, const TaskShape& shape);

}  // namespace qkvlab
