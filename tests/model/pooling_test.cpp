#include "model/pooling.hpp"

#include "support/finite_difference.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

/// Valid tokens on the left, on the right, with a gap, and nowhere.
at::Tensor some_valid() { return bools({1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0}, {4, 4}); }

TEST(TakeRows, TakesThoseOfTheFlattenedBatch) {
  const at::Tensor x = normal({2, 3, 4}, 1);
  const at::Tensor found = take_rows(x, at::tensor({4, 0, 4}, at::kLong), 0);
  EXPECT_TRUE(same(found, at::stack({x[1][1], x[0][0], x[1][1]})));
}

TEST(TakeRows, OfReplicasTakesEachReplicasOwnOrTheSame) {
  const at::Tensor x = normal({2, 2, 3, 4}, 1);  // [R, B, T, C]
  const at::Tensor own = at::tensor({5, 1, 0, 3}, at::kLong).view({2, 2});
  EXPECT_TRUE(same(take_rows(x, own, 2), at::stack({at::stack({x[0][1][2], x[0][0][1]}),
                                                    at::stack({x[1][0][0], x[1][1][0]})})));
  EXPECT_TRUE(same(take_rows(x, own[0], 2), at::stack({at::stack({x[0][1][2], x[0][0][1]}),
                                                       at::stack({x[1][1][2], x[1][0][1]})})));
}

TEST(TakeRows, OfNoneIsEmpty) {
  const at::Tensor none = at::empty({0}, at::kLong);
  EXPECT_EQ(take_rows(normal({2, 3, 4}, 1), none, 0).sizes(), at::IntArrayRef({0, 4}));
  EXPECT_EQ(take_rows(normal({2, 2, 3, 4}, 1), none, 2).sizes(), at::IntArrayRef({2, 0, 4}));
}

TEST(TakeRows, ARowTakenTwiceHasBothGradients) {
  const at::Tensor x = normal({2, 3, 4}, 1, at::kDouble).requires_grad_();
  const at::Tensor rows = at::tensor({4, 0, 4}, at::kLong);
  EXPECT_TRUE(gradients_agree({x}, [&] { return weighted_sum(take_rows(x, rows, 0)); }));
}

TEST(LastValid, IsTheLastTokenThatIsNotPadding) {
  const at::Tensor x = normal({4, 4, 3}, 1);
  EXPECT_TRUE(
      same(last_valid(x, some_valid(), 0), at::stack({x[0][1], x[1][3], x[2][2], x[3][0]})));
  EXPECT_TRUE(same(last_valid(x, {}, 0), x.select(1, 3)));
}

TEST(LastValid, OfReplicasIsEachReplicasOwnOrTheSame) {
  const at::Tensor x = normal({2, 4, 4, 3}, 1);  // [R, B, T, C]
  const at::Tensor other = some_valid().flip(0);
  const at::Tensor own = last_valid(x, at::stack({some_valid(), other}), 2);
  EXPECT_TRUE(
      same(own, at::stack({last_valid(x[0], some_valid(), 0), last_valid(x[1], other, 0)})));
  const at::Tensor shared = last_valid(x, some_valid(), 2);
  EXPECT_TRUE(same(
      shared, at::stack({last_valid(x[0], some_valid(), 0), last_valid(x[1], some_valid(), 0)})));
}

TEST(MeanOverValid, LeavesPaddingOut) {
  const at::Tensor x = normal({4, 4, 3}, 1);
  const at::Tensor expected = at::stack(
      {(x[0][0] + x[0][1]) / 2, (x[1][2] + x[1][3]) / 2, (x[2][0] + x[2][2]) / 2, at::zeros({3})});
  EXPECT_TRUE(near(mean_over_valid(x, some_valid()), expected));
  EXPECT_TRUE(near(mean_over_valid(x, {}),
                   (x.select(1, 0) + x.select(1, 1) + x.select(1, 2) + x.select(1, 3)) / 4));
}

}  // namespace
}  // namespace qkvlab
