#include "config/attention_plan.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

TEST(AttentionPlan, APlanEqualToAModeIsThatMode) {
  for (const ProjectionPlan& mode : attention_modes()) {
    if (!mode.attends) continue;
    EXPECT_EQ(plan_of(mode.query, mode.key, mode.value).mode, mode.mode);
  }
}

TEST(AttentionPlan, AnotherPlanHasNoMode) {
  const ProjectionPlan plan = plan_of(Source::kOwn, Source::kQuery, Source::kIdentity);
  EXPECT_EQ(plan.mode, "");
  EXPECT_TRUE(plan.attends);
  EXPECT_EQ(plan.learned(), std::vector<std::string>{"q_proj"});
}

TEST(AttentionPlan, WhatIsNeverReadIsNotLearned) {
  using S = Source;
  const auto name = [](S query, S key, S value) { return plan_name(plan_of(query, key, value)); };
  EXPECT_EQ(name(S::kZero, S::kOwn, S::kOwn), "uniform");
  EXPECT_EQ(name(S::kOwn, S::kZero, S::kOwn), "uniform");
  EXPECT_EQ(name(S::kZero, S::kIdentity, S::kOwn), "uniform");
  EXPECT_EQ(name(S::kZero, S::kQuery, S::kOwn), "uniform");
  EXPECT_EQ(name(S::kZero, S::kValue, S::kOwn), "uniform");
  EXPECT_EQ(name(S::kZero, S::kOwn, S::kKey), "q=zero,k=own,v=k") << "the value reads it";
  EXPECT_EQ(name(S::kOwn, S::kZero, S::kQuery), "q=own,k=zero,v=q");
  EXPECT_EQ(name(S::kOwn, S::kZero, S::kKey), "q=zero,k=zero,v=zero");
  EXPECT_EQ(name(S::kIdentity, S::kQuery, S::kOwn), "identity_qk") << "borrowed from the input";
  EXPECT_EQ(name(S::kOwn, S::kQuery, S::kZero), "q=own,k=q,v=zero") << "maps show what it is";
  EXPECT_EQ(plan_of(S::kZero, S::kOwn, S::kKey).learned(), std::vector<std::string>{"k_proj"});
}

TEST(AttentionPlan, ThreeZerosAttendUnlikeModeNone) {
  const ProjectionPlan plan = plan_of(Source::kZero, Source::kZero, Source::kZero);
  EXPECT_EQ(plan.mode, "");
  EXPECT_TRUE(plan.attends);
}

/// What resolved() calls a mistake of the program is what is refused before, and nothing else.
TEST(AttentionPlan, ReferencesToReferencesAreFoundInAllPlans) {
  const std::vector<Source> sources = {Source::kOwn,   Source::kIdentity, Source::kZero,
                                       Source::kQuery, Source::kKey,      Source::kValue};
  int chained = 0;
  for (const Source query : sources) {
    for (const Source key : sources) {
      for (const Source value : sources) {
        const ProjectionPlan plan = plan_of(query, key, value);
        if (chained_reference(plan).empty()) {
          EXPECT_NO_THROW(plan.resolved());
        } else {
          EXPECT_THROW(plan.resolved(), std::logic_error);
          ++chained;
        }
      }
    }
  }
  // Of 216 plans, 27 have no reference; one of three that borrows does so from two others with
  // three sources each, 3 * 2 * 9; two that borrow from the third with its three, 3 * 3.
  EXPECT_EQ(chained, 216 - 27 - 54 - 9);
}

TEST(AttentionPlan, TheBorrowerOfABorrowerIsNamed) {
  EXPECT_EQ(chained_reference(plan_of(Source::kOwn, Source::kQuery, Source::kKey)), "v");
  EXPECT_EQ(chained_reference(plan_of(Source::kOwn, Source::kKey, Source::kOwn)), "k");
}

}  // namespace
}  // namespace qkvlab
