#include "training/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "config/training_length.hpp"

namespace qkvlab {
namespace {

CosineSchedule cosine(int64_t steps, double fraction, double final_lr) {
  CosineSchedule schedule;
  schedule.warmup_steps = steps;
  schedule.warmup_fraction = fraction;
  schedule.final_lr = final_lr;
  return schedule;
}

TEST(Schedule, ACosineAfterAWarmUpByFractionIsThePublishedOne) {
  // Of a published protocol: 158 steps, 5 % of them warm-up, rounded down to 7.
  const ScheduleConfig schedule = cosine(0, 0.05, 0);
  EXPECT_EQ(warmup_steps(schedule, 158), 7);
  EXPECT_EQ(warmup_steps(cosine(0, 0.29, 0), 100), 29);  // the double 0.29 is a little less
  const auto rate = [&](int64_t step) { return learning_rate(schedule, 1e-3, step, 158); };
  EXPECT_DOUBLE_EQ(rate(0), 1e-3 / 7);
  EXPECT_DOUBLE_EQ(rate(6), 1e-3);
  EXPECT_DOUBLE_EQ(rate(7), 1e-3);
  EXPECT_NEAR(rate(157), 1.0821e-7, 1e-11);  // 1e-3 / 2 (1 + cos(150 π / 151))
  EXPECT_DOUBLE_EQ(rate(100), 5e-4 * (1 + std::cos(93 * M_PI / 151)));
}

TEST(Schedule, ACosineFallsToItsFinalRateAndIsHalfWayInTheMiddle) {
  const ScheduleConfig schedule = cosine(100, 0, 1e-4);
  const auto rate = [&](int64_t step) { return learning_rate(schedule, 1e-3, step, 2000); };
  EXPECT_DOUBLE_EQ(rate(49), 5e-4);
  EXPECT_DOUBLE_EQ(rate(99), 1e-3);
  EXPECT_DOUBLE_EQ(rate(100), 1e-3);
  EXPECT_DOUBLE_EQ(rate(1050), 5.5e-4);
  EXPECT_NEAR(rate(1999), 1e-4, 1e-8);
  for (int64_t step = 101; step < 2000; ++step) EXPECT_LT(rate(step), rate(step - 1));
}

TEST(Schedule, ALineFallsByTheSameAmountEachStep) {
  LinearSchedule line;
  line.warmup_steps = 2;
  line.final_lr = 0.1;
  const std::vector<double> expected = {0.25, 0.5, 0.5, 0.4, 0.3, 0.2};
  for (int64_t step = 0; step < 6; ++step) {
    EXPECT_NEAR(learning_rate(line, 0.5, step, 6), expected[step], 1e-15) << step;
  }
}

TEST(Schedule, AConstantRateStaysAfterItsWarmUp) {
  EXPECT_EQ(learning_rate(ConstantSchedule{}, 0.3, 0, 100), 0.3);
  ConstantSchedule warm;
  warm.warmup_steps = 4;
  EXPECT_DOUBLE_EQ(learning_rate(warm, 0.4, 0, 100), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(warm, 0.4, 99, 100), 0.4);
}

TEST(Schedule, ThePeakIsTheOptimisersRate) {
  SgdConfig sgd;
  sgd.lr = 0.25;
  EXPECT_EQ(peak_lr(sgd), 0.25);
  AdamWConfig adamw;
  adamw.lr = 5e-4;
  EXPECT_EQ(peak_lr(adamw), 5e-4);
}

}  // namespace
}  // namespace qkvlab
