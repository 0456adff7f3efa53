#include "training/schedule.hpp"

#include <cmath>

#include "config/training_length.hpp"

namespace qkvlab {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// The rate at the share `t` of what follows the warm-up.
double rate_after_warmup(const ConstantSchedule&, double peak, double) { return peak; }

double rate_after_warmup(const LinearSchedule& schedule, double peak, double t) {
  return schedule.final_lr + (peak - schedule.final_lr) * (1 - t);
}

double rate_after_warmup(const CosineSchedule& schedule, double peak, double t) {
  return schedule.final_lr + (peak - schedule.final_lr) * 0.5 * (1 + std::cos(kPi * t));
}

}  // namespace

double peak_lr(const OptimizerConfig& config) {
  return std::visit([](const auto& optimizer) { return optimizer.lr; }, config);
}

double learning_rate(const ScheduleConfig& config, double peak, int64_t step, int64_t total) {
  const int64_t warmup = warmup_steps(config, total);
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  const double t = static_cast<double>(step - warmup) / static_cast<double>(total - warmup);
  return std::visit([&](const auto& schedule) { return rate_after_warmup(schedule, peak, t); },
                    config);
}

}  // namespace qkvlab
