#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/ablation_config.hpp"
#include "config/limits.hpp"
#include "config/model_config.hpp"
#include "config/random_config.hpp"
#include "config/task_config.hpp"
#include "config/training_config.hpp"

namespace qkvlab {

struct AttentionRecordConfig {
  int64_t every = 0;  // steps; 0: never
  std::vector<int64_t> layers = {0};
  std::vector<int64_t> heads = {0};
  int64_t samples = 1;  // the first ones of the split that is evaluated
};

/// How often, in steps, each kind of record is written; 0: never.
struct RecordConfig {
  int64_t step = 1;
  int64_t gradients = 10;
  AttentionRecordConfig attention;
};

struct RunConfig {
  std::string device = "cpu";  // or "cuda:N"
  int64_t threads = 1;
  std::optional<int64_t> workers;   // processes side by side; nothing: as many as cores
  std::optional<int64_t> replicas;  // runs that train as one stacked model; nothing: what fits
  std::optional<int64_t> checkpoint_steps;  // saved after as many steps,
  double checkpoint_seconds = 60;           // or as much time
  bool keep_checkpoints = false;            // of runs that have ended
};

/// Everything a config file says.
struct ExperimentConfig {
  std::string name;
  TaskConfig task = SentencesTask{};
  ModelConfig model = TransformerConfig{};
  TrainingConfig training;
  RandomConfig random;
  RecordConfig record;
  RunConfig run;
  Limits limits;
  std::optional<AblationConfig> ablation;  // of `qkvlab ablate`; what single runs are says the rest
};

}  // namespace qkvlab
