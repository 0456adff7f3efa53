#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include <map>

#include "config/attention_plan.hpp"
#include "experiment/train_run.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

/// Every plan that can be asked for, once.
std::map<std::string, ProjectionPlan> all_plans() {
  const std::vector<Source> sources = {Source::kOwn,   Source::kIdentity, Source::kZero,
                                       Source::kQuery, Source::kKey,      Source::kValue};
  std::map<std::string, ProjectionPlan> plans;
  for (const Source query : sources) {
    for (const Source key : sources) {
      for (const Source value : sources) {
        const ProjectionPlan plan = plan_of(query, key, value);
        if (chained_reference(plan).empty()) plans.emplace(plan_name(plan), plan);
      }
    }
  }
  return plans;
}

TrainResult train(const ExperimentConfig& config, const std::string& folder) {
  TrainOptions options;
  options.folder = folder;
  TrainListener listener;
  listener.begins = [](int64_t) {};
  listener.step = [](const StepReport&) {};
  listener.evaluation = [](const Evaluation&) {};
  return train_run(config, options, listener);
}

/// A run that is interrupted after its first step, where each parameter that is learned must have a
/// place in the optimiser's state, ends as one that was not.
TEST(Resume, EveryPlanGoesOnWithEveryOptimiser) {
  const TemporaryFolder folder;
  SgdConfig momentum;
  momentum.momentum = 0.9;
  const std::vector<OptimizerConfig> optimizers = {SgdConfig{}, momentum, AdamConfig{},
                                                   AdamWConfig{}};
  const auto plans = all_plans();
  EXPECT_GT(plans.size(), 20U);
  int count = 0;
  for (const auto& [name, plan] : plans) {
    for (const OptimizerConfig& optimizer : optimizers) {
      ExperimentConfig config;
      config.name = "x";
      InductionTask task;
      task.vocabulary = 5;
      task.length = 4;
      task.test_examples = 2;
      config.task = task;
      TransformerConfig model;
      model.d_model = 4;
      model.n_layers = 1;
      model.max_length = 4;
      model.attention.plan = plan;
      config.model = model;
      config.training.steps = 3;
      config.training.batch_size = 2;
      config.training.optimizer = optimizer;
      const std::string number = std::to_string(count++);
      const TrainResult whole = train(config, folder.file("whole" + number));
      config.limits.seconds = 1e-9;
      ASSERT_EQ(train(config, folder.file("parts" + number)).steps, 1) << name;
      config.limits.seconds.reset();
      TrainResult parts;
      ASSERT_NO_THROW(parts = train(config, folder.file("parts" + number))) << name;
      EXPECT_EQ(parts.steps, 3);
      EXPECT_EQ(parts.evaluations.front().loss, whole.evaluations.front().loss) << name;
    }
  }
}

}  // namespace
}  // namespace qkvlab
