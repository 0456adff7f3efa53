#pragma once

#include <cstdint>

#include "config/training_config.hpp"

namespace qkvlab {

/// Steps of the optimiser in all: as given, or so many that every epoch takes each of
/// `train_examples` once (its last step may have fewer).
int64_t training_steps(const TrainingConfig& config, int64_t train_examples);

/// Steps of warm-up in a training of `total` steps: as given, or the share of `total` rounded down.
int64_t warmup_steps(const ScheduleConfig& config, int64_t total);

}  // namespace qkvlab
