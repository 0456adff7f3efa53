#include "attention/mask.hpp"

#include "support/tensors.hpp"

namespace qkvlab {
namespace {

TEST(Mask, TrueMeansMayAttend) {
  const Mask mask(bools({1, 0, 1, 1}, {2, 2}));
  EXPECT_TRUE(same(mask.allowed(), bools({1, 0, 1, 1}, {2, 2})));
  EXPECT_TRUE(same(mask.blocked(), bools({0, 1, 0, 0}, {2, 2})));
  EXPECT_FALSE(mask.dead_rows().defined());
}

TEST(Mask, CausalQueriesSeeKeysUpToTheirOwn) {
  EXPECT_TRUE(same(Mask::causal(3, 3).allowed(), bools({1, 0, 0, 1, 1, 0, 1, 1, 1}, {3, 3})));
  EXPECT_TRUE(same(Mask::causal(2, 4).allowed(), bools({1, 0, 0, 0, 1, 1, 0, 0}, {2, 4})));
  EXPECT_TRUE(same(Mask::causal(3, 1).allowed(), bools({1, 1, 1}, {3, 1})));
}

TEST(Mask, KeyPaddingHidesKeysFromEveryQuery) {
  const Mask mask = Mask::key_padding(bools({1, 1, 0, 0, 1, 1}, {2, 3}));
  EXPECT_TRUE(same(mask.allowed(), bools({1, 1, 0, 0, 1, 1}, {2, 1, 3})));
}

TEST(Mask, BothMasksMustAllow) {
  const Mask both = Mask::causal(3, 3) & Mask::key_padding(bools({0, 1, 1}, {1, 3}));
  EXPECT_TRUE(same(both.allowed(), bools({0, 0, 0, 0, 1, 0, 0, 1, 1}, {1, 3, 3})));
  // Neither mask alone leaves the first query with nothing, both together do.
  EXPECT_TRUE(same(both.dead_rows(), bools({1, 0, 0}, {1, 3, 1})));
}

TEST(Mask, AnEmptyMaskAllowsEverything) {
  const Mask causal = Mask::causal(2, 2);
  EXPECT_FALSE(Mask().allowed().defined());
  EXPECT_FALSE((Mask() & Mask()).allowed().defined());
  EXPECT_FALSE(Mask().for_heads().allowed().defined());
  EXPECT_TRUE(same((Mask() & causal).allowed(), causal.allowed()));
  EXPECT_TRUE(same((causal & Mask()).allowed(), causal.allowed()));
}

TEST(Mask, ForHeadsPutsTheHeadDimensionBeforeTheLastTwo) {
  const Mask mask = Mask::key_padding(bools({1, 1, 0, 0, 0, 0}, {2, 3})).for_heads();
  EXPECT_EQ(mask.allowed().sizes(), at::IntArrayRef({2, 1, 1, 3}));
  EXPECT_EQ(mask.blocked().sizes(), at::IntArrayRef({2, 1, 1, 3}));
  EXPECT_TRUE(same(mask.dead_rows(), bools({0, 1}, {2, 1, 1, 1})));
}

TEST(Mask, AnythingButBoolsOfTwoDimensionsIsRefused) {
  EXPECT_THROW(Mask(at::ones({2, 2})), c10::Error);
  EXPECT_THROW(Mask(bools({1, 1}, {2})), c10::Error);
}

}  // namespace
}  // namespace qkvlab
