#include "training/batch_order.hpp"

#include <set>

#include "support/training.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kExamples = 10;

FixedTask task_with(Sampling sampling) { return random_task(kExamples, 3, 5, sampling); }

RandomSource keyed(uint64_t seed = 1) { return {RandomScheme::kKeyed, seed}; }

std::vector<std::vector<int64_t>> take(BatchOrder order, int64_t steps) {
  std::vector<std::vector<int64_t>> batches;
  for (int64_t i = 0; i < steps; ++i) batches.push_back(order.next());
  return batches;
}

TEST(BatchOrder, AnEpochTakesEveryExampleOnceAndItsLastBatchIsShort) {
  const FixedTask task = task_with(Sampling::kShuffled);
  BatchOrder order(task, keyed(), 4);
  EXPECT_EQ(order.steps_per_epoch(), 3);
  std::vector<std::vector<int64_t>> epochs;
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<int64_t> all;
    for (const size_t size : {4, 4, 2}) {
      const std::vector<int64_t> batch = order.next();
      EXPECT_EQ(batch.size(), size);
      all.insert(all.end(), batch.begin(), batch.end());
    }
    EXPECT_EQ(std::set<int64_t>(all.begin(), all.end()).size(), 10U);
    epochs.push_back(all);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
}

TEST(BatchOrder, ABatchOfAllExamplesKeepsTheirOrder) {
  const FixedTask task = task_with(Sampling::kShuffled);
  BatchOrder order(task, keyed(), 16);
  EXPECT_EQ(order.steps_per_epoch(), 1);
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(order.next(), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }
}

TEST(BatchOrder, AStreamDrawsItsPermutationsOneAfterTheOther) {
  const FixedTask task = task_with(Sampling::kShuffled);
  BatchOrder order(task, RandomSource(RandomScheme::kTorchStream, 7), kExamples - 1);
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(7);
  for (int epoch = 0; epoch < 2; ++epoch) {
    const at::Tensor expected = at::randperm(kExamples, generator, at::TensorOptions(at::kLong));
    std::vector<int64_t> all = order.next();
    all.push_back(order.next().front());
    for (int64_t i = 0; i < kExamples; ++i) EXPECT_EQ(all[i], expected[i].item<int64_t>());
  }
}

TEST(BatchOrder, WhatIsDrawnAnywhereIsWithinTheExamplesAndNewEachStep) {
  const FixedTask task = task_with(Sampling::kAnywhere);
  const BatchOrder order(task, keyed(), 64);
  EXPECT_EQ(order.steps_per_epoch(), 0);
  const auto batches = take(order, 2);
  EXPECT_NE(batches[0], batches[1]);
  const std::set<int64_t> seen(batches[0].begin(), batches[0].end());
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), kExamples - 1);
}

TEST(BatchOrder, EndlessExamplesAreTakenInTurn) {
  const FixedTask task = task_with(Sampling::kEndless);
  EXPECT_EQ(take(BatchOrder(task, keyed(), 3), 2),
            (std::vector<std::vector<int64_t>>{{0, 1, 2}, {3, 4, 5}}));
}

TEST(BatchOrder, SkippingIsTakingWithoutLooking) {
  for (const Sampling sampling : {Sampling::kShuffled, Sampling::kEndless, Sampling::kAnywhere}) {
    for (const RandomScheme scheme : {RandomScheme::kKeyed, RandomScheme::kTorchStream}) {
      const FixedTask task = task_with(sampling);
      const auto whole = take(BatchOrder(task, RandomSource(scheme, 3), 4), 9);
      for (int64_t skipped = 0; skipped < 8; ++skipped) {
        BatchOrder order(task, RandomSource(scheme, 3), 4);
        order.skip_to(skipped);
        EXPECT_EQ(order.next(), whole[skipped]);
        EXPECT_EQ(order.next(), whole[skipped + 1]);
      }
    }
  }
}

// Which step by step would take weeks.
TEST(BatchOrder, KeyedBatchesAreSkippedAtOnce) {
  constexpr int64_t kFar = 1'000'000'000'000;
  for (const Sampling sampling : {Sampling::kShuffled, Sampling::kEndless, Sampling::kAnywhere}) {
    const FixedTask task = task_with(sampling);
    BatchOrder order(task, keyed(), 4), later(task, keyed(), 4);
    order.skip_to(kFar);
    order.next();
    later.skip_to(kFar + 1);
    EXPECT_EQ(order.next(), later.next());
  }
}

TEST(BatchOrder, UnderKeyedAFarStepIsReachedAtOnce) {
  constexpr int64_t kFar = int64_t{3} << 40;
  for (const Sampling sampling : {Sampling::kShuffled, Sampling::kAnywhere}) {
    const FixedTask task = task_with(sampling);
    BatchOrder order(task, keyed(), 4);
    order.skip_to(kFar);
    EXPECT_EQ(order.next().size(), 4U);
    // A later epoch's, not the first one's again.
    EXPECT_NE(take(order, 6), take(BatchOrder(task, keyed(), 4), 6));
  }
}

TEST(BatchOrder, AnotherSeedIsAnotherOrder) {
  const FixedTask task = task_with(Sampling::kShuffled);
  EXPECT_NE(take(BatchOrder(task, keyed(1), 9), 1), take(BatchOrder(task, keyed(2), 9), 1));
}

}  // namespace
}  // namespace qkvlab
