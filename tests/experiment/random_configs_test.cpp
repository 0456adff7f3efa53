#include "support/random_configs.hpp"

#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "config/experiment_reader.hpp"
#include "experiment/train_run.hpp"

namespace qkvlab {
namespace {

/// What the checks accept trains, whatever it is: nothing is refused once a folder is entered.
TEST(RandomConfigs, WhatChecksAcceptTrains) {
  constexpr int kConfigs = 2000;
  RandomConfigs configs(1);
  const TemporaryFolder folder;
  std::map<std::string, int> accepted;  // by the kind of the task
  int all = 0;
  for (int i = 0; i < kConfigs; ++i) {
    const nlohmann::json json = configs.config();
    const std::string file = folder.write("x.json", json.dump());
    ExperimentConfig config;
    try {
      config = read_experiment_config(file);
    } catch (const UserError&) {
      continue;  // before any folder is entered
    }
    TrainOptions options;
    options.folder = folder.file("run" + std::to_string(i));
    TrainListener listener;
    listener.begins = [](int64_t) {};
    listener.step = [](const StepReport&) {};
    listener.evaluation = [](const Evaluation&) {};
    EXPECT_NO_THROW(train_run(config, options, listener)) << json.dump();
    ++accepted[json["task"]["kind"]];
    ++all;
  }
  EXPECT_GT(all, kConfigs / 10);
  EXPECT_EQ(accepted.size(), std::variant_size_v<TaskConfig>) << "every task is among them";
}

}  // namespace
}  // namespace qkvlab
