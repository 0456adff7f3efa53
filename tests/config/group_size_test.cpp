#include "config/group_size.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

ExperimentConfig small_config() {
  ExperimentConfig config;
  config.task = MajorityTask{};
  TransformerConfig model;
  model.d_model = 32;
  config.model = model;
  config.training.steps = 10;
  config.training.batch_size = 32;
  return config;
}

TEST(GroupSize, AGroupOfOneNeedsWhatARunNeedsAndEachFurtherOneAsMuchAgain) {
  const ExperimentConfig config = small_config();
  const TaskShape shape = task_shape(config.task);
  const MemoryUse one = peak_memory(config, shape);
  EXPECT_DOUBLE_EQ(group_memory(config, shape, 1).total(), one.total());
  EXPECT_DOUBLE_EQ(group_memory(config, shape, 5).total(),
                   one.process + 5 * (one.total() - one.process));
}

TEST(GroupSize, FitsTheLimitOfMemoryEvenWhereMoreIsAskedFor) {
  for (const int64_t limit : {190, 200, 300}) {
    ExperimentConfig config = small_config();
    config.limits.memory_mb = limit;
    config.run.replicas = 100'000;
    const TaskShape shape = task_shape(config.task);
    const int64_t replicas = replicas_of_group(config, shape);
    EXPECT_LE(group_memory(config, shape, replicas).total(), static_cast<double>(limit) * 1e6);
    EXPECT_GT(group_memory(config, shape, replicas + 1).total(), static_cast<double>(limit) * 1e6);
  }
}

TEST(GroupSize, IsWhatIsAskedForElseWhatFitsACache) {
  ExperimentConfig config = small_config();
  const TaskShape shape = task_shape(config.task);
  const int64_t replicas = replicas_of_group(config, shape);
  EXPECT_GT(replicas, 2);
  EXPECT_LT(replicas, 256);
  config.training.batch_size = 4096;  // one alone is beyond any cache
  EXPECT_EQ(replicas_of_group(config, shape), 1);
  config.run.replicas = 3;
  EXPECT_EQ(replicas_of_group(config, shape), 3);
}

TEST(GroupSize, AsPyTorchDoesMeansOneByOne) {
  ExperimentConfig config = small_config();
  config.random.scheme = RandomScheme::kTorchStream;
  config.run.replicas = 3;
  EXPECT_EQ(replicas_of_group(config, task_shape(config.task)), 1);
}

TEST(GroupSize, WhatIsReadFromFilesIsThereOnce) {
  ExperimentConfig config;
  TaskShape shape;
  shape.vocabulary = shape.outputs = 7;
  shape.length = 5;
  const double without = group_memory(config, shape, 3).total();
  shape.file_bytes = 1'000'000;
  EXPECT_EQ(group_memory(config, shape, 3).total() - without, 1'000'000);
}

}  // namespace
}  // namespace qkvlab
