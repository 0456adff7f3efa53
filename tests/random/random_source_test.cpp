#include "random/random_source.hpp"

#include "support/tensors.hpp"

namespace qkvlab {
namespace {

at::Tensor draw(const RandomSource& source, const std::string& purpose) {
  return at::randn({8}, source.generator(purpose));
}

// Digests are those of the xxhsum program:
//   printf '\x1f\0\0\0\0\0\0\0q_proj.weight' | xxhsum -H3
//   printf '\0\0\0\0\0\0\0\0batch/3' | xxhsum -H3
//   printf '\xef\xcd\xab\x89\x67\x45\x23\x01dropout/7/blocks.0.attention' | xxhsum -H3
TEST(RandomSource, AKeyedSeedHashesTheSeedsEightBytesAndThePurpose) {
  EXPECT_EQ(keyed_seed(31, "q_proj.weight"), 0x64905d48c29ee294u);
  EXPECT_EQ(keyed_seed(0, "batch/3"), 0xaef3dfd9af4c50b5u);
  EXPECT_EQ(keyed_seed(0x0123456789abcdef, "dropout/7/blocks.0.attention"), 0xa2c6ea8eaa3ad0f7u);
}

TEST(RandomSource, AKeyedGeneratorIsThatOfItsSeed) {
  const RandomSource source(RandomScheme::kKeyed, 31);
  const auto expected = at::make_generator<at::CPUGeneratorImpl>(0x64905d48c29ee294u);
  EXPECT_TRUE(same(draw(source, "q_proj.weight"), at::randn({8}, expected)));
}

TEST(RandomSource, KeyedDrawsDependOnSeedAndPurposeAlone) {
  const RandomSource source(RandomScheme::kKeyed, 5);
  const at::Tensor first = draw(source, "a");
  EXPECT_FALSE(first.equal(draw(source, "b")));
  EXPECT_TRUE(same(draw(source, "a"), first)) << "drawing b or a changed a";
  EXPECT_FALSE(first.equal(draw(RandomSource(RandomScheme::kKeyed, 6), "a")));
}

TEST(RandomSource, KeyedSeedsThatDifferInTheUpperHalfOnlyDiffer) {
  EXPECT_NE(keyed_seed(1, "a"), keyed_seed(1 + (uint64_t{1} << 32), "a"));
}

TEST(RandomSource, ATorchStreamIsTheGlobalGeneratorAfterManualSeed) {
  const RandomSource source(RandomScheme::kTorchStream, 31);
  torch::manual_seed(31);
  // Odd sizes: the stream keeps a second normal number in store.
  EXPECT_TRUE(same(at::randn({3}, source.generator("a")), at::randn({3})));
  EXPECT_TRUE(
      same(at::empty({5}).uniform_(-2, 2, source.generator("b")), at::empty({5}).uniform_(-2, 2)));
  EXPECT_TRUE(
      same(at::empty({40}).normal_(0, 1, source.generator("c")), at::empty({40}).normal_(0, 1)));
  EXPECT_TRUE(
      same(at::empty({7}).bernoulli_(0.3, source.generator("d")), at::empty({7}).bernoulli_(0.3)));
  EXPECT_TRUE(same(at::randperm(9, source.generator("e")), at::randperm(9)));
}

TEST(RandomSource, AKeyedSeedForOtherDrawsIsThatOfItsPurpose) {
  const RandomSource source(RandomScheme::kKeyed, 31);
  EXPECT_EQ(source.draw_seed("q_proj.weight"), 0x64905d48c29ee294u);
  EXPECT_EQ(source.draw_seed("q_proj.weight"), 0x64905d48c29ee294u) << "drawn twice";
}

TEST(RandomSource, AStreamsSeedForOtherDrawsIsItsNext64Bits) {
  const RandomSource source(RandomScheme::kTorchStream, 31);
  auto expected = at::make_generator<at::CPUGeneratorImpl>(31);
  auto* const generator = at::check_generator<at::CPUGeneratorImpl>(expected);
  EXPECT_EQ(source.draw_seed("a"), generator->random64());
  EXPECT_TRUE(same(draw(source, "b"), at::randn({8}, expected)));
}

TEST(RandomSource, NeitherSchemeTouchesTheGlobalGenerator) {
  torch::manual_seed(1);
  const at::Tensor undisturbed = at::randn({4});
  torch::manual_seed(1);
  draw(RandomSource(RandomScheme::kKeyed, 2), "a");
  draw(RandomSource(RandomScheme::kTorchStream, 2), "a");
  EXPECT_TRUE(same(at::randn({4}), undisturbed));
}

TEST(RandomSource, SchemesAreNamedAsInConfigs) {
  EXPECT_EQ(random_scheme_name(RandomScheme::kKeyed), "keyed");
  EXPECT_EQ(random_scheme_name(RandomScheme::kTorchStream), "torch_stream");
}

}  // namespace
}  // namespace qkvlab
