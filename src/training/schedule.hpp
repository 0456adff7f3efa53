#pragma once

#include <cstdint>

#include "config/training_config.hpp"

namespace qkvlab {

/// The rate that an optimiser's config names: the highest of its schedule.
double peak_lr(const OptimizerConfig& config);

/// The rate of step `step` (from 0) of `total`. In W steps of warm-up it rises in a straight line,
/// peak · (step + 1) / W. After it, with t = (step − W) / (total − W), it is
///   constant  peak
///   linear    final + (peak − final) · (1 − t)
///   cosine    final + (peak − final) · ½ (1 + cos π t)    (Loshchilov and Hutter 2017, eq. 5)
/// so that `final` itself would be reached one step after the last.
double learning_rate(const ScheduleConfig& config, double peak, int64_t step, int64_t total);

}  // namespace qkvlab
