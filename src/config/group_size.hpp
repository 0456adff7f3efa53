#pragma once

#include <cstdint>

#include "config/experiment_config.hpp"
#include "config/memory.hpp"

namespace qkvlab {

/// What a process holds at most while it trains a group of runs of a config as one stacked model:
/// peak_memory, where all but the program and what the runs share is there for each of them.
MemoryUse group_memory(const ExperimentConfig& config, const TaskShape& shape, int64_t replicas);

/// How many runs of a config are trained as one stacked model: `run.replicas` where that is given,
/// else as many as make LibTorch's cost of each call small (see group_size.cpp for what was
/// measured), and never more than the limit of memory allows; 1 under `torch_stream`. Depends on
/// the config alone, so that a sweep is divided the same on every machine and for any number of
/// workers.
int64_t replicas_of_group(const ExperimentConfig& config, const TaskShape& shape);

}  // namespace qkvlab
