#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace qkvlab {

struct SgdConfig {
  static constexpr const char* kKind = "sgd";
  double lr = 0.1;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
};

struct AdamConfig {
  static constexpr const char* kKind = "adam";
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
};

/// Which parameters decay: all, or those that are matrices (weights and embeddings, but no biases
/// and norms).
enum class Decay { kAll, kMatrices };

struct AdamWConfig {
  static constexpr const char* kKind = "adamw";
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
  Decay decay = Decay::kMatrices;
};

using OptimizerConfig = std::variant<SgdConfig, AdamConfig, AdamWConfig>;

/// Steps of warm-up, given as such or as a share of all steps (rounded down); not both.
struct WarmUp {
  int64_t warmup_steps = 0;
  double warmup_fraction = 0;
};

struct ConstantSchedule : WarmUp {
  static constexpr const char* kKind = "constant";
};

/// Falls in a straight line to `final_lr` at the end of training.
struct LinearSchedule : WarmUp {
  static constexpr const char* kKind = "linear";
  double final_lr = 0;
};

/// Falls along half a cosine to `final_lr` at the end of training.
struct CosineSchedule : WarmUp {
  static constexpr const char* kKind = "cosine";
  double final_lr = 0;
};

using ScheduleConfig = std::variant<ConstantSchedule, LinearSchedule, CosineSchedule>;

struct EvaluateConfig {
  int64_t every = 0;               // steps; 0: at the end alone
  std::optional<int64_t> batches;  // as many, spread evenly over the split; nothing: all of it
  bool train = false;              // the training split as well (always where nothing is held out)
};

/// Training ends early at the first evaluation where `metric` is at least `value` (a loss: at
/// most).
struct TargetConfig {
  std::string metric = "test.accuracy";  // "<split>.<metric>"
  double value = 1;
};

struct TrainingConfig {
  std::optional<int64_t> steps;  // exactly one of the two
  std::optional<int64_t> epochs;
  int64_t batch_size = 8;  // sequences of one forward pass
  int64_t accumulate = 1;  // forward passes of one step
  OptimizerConfig optimizer = SgdConfig{};
  ScheduleConfig schedule = ConstantSchedule{};
  std::optional<double> grad_clip;  // largest global norm of a gradient
  EvaluateConfig evaluate;
  std::optional<TargetConfig> target;
};

}  // namespace qkvlab
