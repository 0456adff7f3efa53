#include "config/projection_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/user_error.hpp"

namespace qkvlab {
namespace {

using Names = std::vector<std::string>;

TEST(ProjectionPlan, LearnsWhatTheModeTableSays) {
  const std::map<std::string, Names> table = {
      {"full", {"q_proj", "k_proj", "v_proj"}},
      {"identity_qkv", {}},
      {"identity_qk", {"v_proj"}},
      {"identity_v", {"q_proj", "k_proj"}},
      {"uniform", {"v_proj"}},
      {"shared_qk", {"q_proj", "v_proj"}},
      {"shared_kv", {"q_proj", "k_proj"}},
      {"shared_qkv", {"q_proj"}},
      {"none", {}},
  };
  EXPECT_EQ(attention_modes().size(), table.size());
  for (const ProjectionPlan& plan : attention_modes()) {
    EXPECT_EQ(plan.learned(), table.at(plan.mode)) << plan.mode;
  }
}

TEST(ProjectionPlan, ScoresAreSymmetricWhereQueryAndKeyAreOneTensor) {
  const std::set<std::string> symmetric = {"identity_qkv", "identity_qk", "uniform", "shared_qk",
                                           "shared_qkv"};
  for (const ProjectionPlan& plan : attention_modes()) {
    EXPECT_EQ(plan.symmetric_scores(), symmetric.count(plan.mode) == 1) << plan.mode;
  }
}

TEST(ProjectionPlan, SymmetryFollowsReferencesEitherWay) {
  ProjectionPlan plan;
  plan.query = Source::kKey;
  EXPECT_TRUE(plan.symmetric_scores());
  plan.query = plan.key = Source::kValue;
  EXPECT_TRUE(plan.symmetric_scores());
  plan.key = Source::kOwn;
  EXPECT_FALSE(plan.symmetric_scores());
}

TEST(ProjectionPlan, AnUnknownModeIsRefusedWithTheNearestSpelling) {
  const std::string message = user_error([] { attention_mode("unifrom"); });
  EXPECT_NE(message.find("did you mean 'uniform'?"), std::string::npos) << message;
  EXPECT_NE(message.find("shared_qkv"), std::string::npos) << message;
}

}  // namespace
}  // namespace qkvlab
