#include "config/words.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

using Words = std::vector<std::string>;

TEST(Words, StandBetweenBlanksOfEveryKind) {
  EXPECT_EQ(split_words(" a  b\tc\r"), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_words("我\xE3\x80\x80喜欢"), (Words{"我", "喜欢"}));
  EXPECT_EQ(split_words(" \t\xE3\x80\x80"), Words{});
}

TEST(Words, CharactersThatShareBytesWithAWideBlankAreNone) {
  EXPECT_EQ(split_words("、 。\xE3\x80"), (Words{"、", "。\xE3\x80"}));
}

TEST(Words, ANewlineIsAWordOfItsOwn) {
  EXPECT_EQ(split_words("a b\r\nc\n\n"), (Words{"a", "b", "\n", "c", "\n", "\n"}));
}

}  // namespace
}  // namespace qkvlab
