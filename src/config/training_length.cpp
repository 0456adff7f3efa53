#include "config/training_length.hpp"

#include "base/error.hpp"
#include "config/share.hpp"

namespace qkvlab {

int64_t training_steps(const TrainingConfig& config, int64_t train_examples) {
  if (config.steps) return *config.steps;
  require(config.epochs.has_value(), "a training has steps or epochs");
  const int64_t examples_of_step = config.batch_size * config.accumulate;
  return *config.epochs * ((train_examples + examples_of_step - 1) / examples_of_step);
}

int64_t warmup_steps(const ScheduleConfig& config, int64_t total) {
  const WarmUp& warmup =
      std::visit([](const auto& schedule) -> const WarmUp& { return schedule; }, config);
  if (warmup.warmup_steps > 0) return warmup.warmup_steps;
  return count_of_share(warmup.warmup_fraction, total);
}

}  // namespace qkvlab
