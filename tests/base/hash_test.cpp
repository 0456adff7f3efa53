#include "base/hash.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

// Expected digests are what `xxhsum -H3` and `xxhsum -H2` print (Debian xxhash 0.8.1).
std::string thousand_bytes() {
  std::string bytes;
  for (int i = 0; i < 1024; ++i) bytes += static_cast<char>(i % 256);
  return bytes;
}

TEST(Hash, Xxh3With64BitsIsTheStandardDigest) {
  EXPECT_EQ(xxh3_64_hex(""), "2d06800538d394c2");
  EXPECT_EQ(xxh3_64_hex("abc"), "78af5f94892f3950");
  EXPECT_EQ(xxh3_64_hex("注意力"), "de0928f9b73f09d5");
  EXPECT_EQ(xxh3_64_hex(thousand_bytes()), "a870f92984398d22");
}

TEST(Hash, TheNumberAndTheDigitsAreTheSame) { EXPECT_EQ(xxh3_64("abc"), 0x78af5f94892f3950u); }

TEST(Hash, RunIdsAreTheFirstHalfOfThe128BitDigest) {
  EXPECT_EQ(xxh3_128_hex16(""), "99aa06d3014798d8");
  EXPECT_EQ(xxh3_128_hex16("abc"), "06b05ab6733a6185");
  EXPECT_EQ(xxh3_128_hex16("注意力"), "e90e55d88cbfb560");
  EXPECT_EQ(xxh3_128_hex16(thousand_bytes()), "83885e853bb6640c");
}

TEST(Hash, APieceAtATimeGivesTheSameDigest) {
  const std::string whole = thousand_bytes() + thousand_bytes();
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{256}, size_t{1000}}) {
    Xxh3Stream stream;
    EXPECT_EQ(stream.hex(), xxh3_64_hex(""));
    for (size_t at = 0; at < whole.size(); at += piece) {
      stream.update(std::string_view(whole).substr(at, piece));
    }
    EXPECT_EQ(stream.hex(), xxh3_64_hex(whole)) << piece;
    stream.update("more");
    EXPECT_EQ(stream.hex(), xxh3_64_hex(whole + "more")) << piece;
  }
}

TEST(Hash, NulBytesCount) { EXPECT_NE(xxh3_64(std::string_view("a\0", 2)), xxh3_64("a")); }

}  // namespace
}  // namespace qkvlab
