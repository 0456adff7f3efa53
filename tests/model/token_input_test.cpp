#include "model/token_input.hpp"

#include "support/tensors.hpp"

namespace qkvlab {
namespace {

TEST(PositionIds, CountValidTokensFromZero) {
  const at::Tensor valid = bools({1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1}, {3, 4});
  const at::Tensor ids = position_ids(valid);
  ASSERT_EQ(ids.scalar_type(), at::kLong);
  const at::Tensor expected = at::tensor({0, 1, 2, 2, 0, 0, 0, 1, 0, 0, 0, 1}, at::kLong);
  EXPECT_TRUE(same(ids, expected.view({3, 4})));
}

TEST(PositionIds, OfNothingValidAreZero) {
  EXPECT_TRUE(same(position_ids(bools({0, 0, 0}, {1, 3})), at::zeros({1, 3}, at::kLong)));
}

}  // namespace
}  // namespace qkvlab
