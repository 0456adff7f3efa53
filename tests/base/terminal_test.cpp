#include "base/terminal.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <string>

namespace qkvlab {
namespace {

TEST(DisplayWidth, ChineseIsTwoColumnsWide) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("query"), 5u);
  EXPECT_EQ(display_width("注意力"), 6u);
  EXPECT_EQ(display_width("我 love 你！"), 12u);  // the full-width mark too
}

TEST(DisplayWidth, CombiningMarksTakeNoColumn) {
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("é"), 1u);
}

TEST(DisplayWidth, DoesNotDependOnTheProcessLocaleNorChangeIt) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"C", "C.UTF-8"}) {
    ASSERT_NE(std::setlocale(LC_ALL, locale), nullptr);
    EXPECT_EQ(display_width("注意力"), 6u) << locale;
    EXPECT_STREQ(std::setlocale(LC_ALL, nullptr), locale);
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Printable, OrdinaryTextPassesUnchanged) {
  EXPECT_EQ(printable("Q·Kᵀ 注意力 🙂 ~"), "Q·Kᵀ 注意力 🙂 ~");
}

TEST(Printable, NothingThatMovesTheCursorOrTurnsTextAroundPasses) {
  EXPECT_EQ(printable("a\x1B[2Jb"), "a\uFFFD[2Jb");
  EXPECT_EQ(printable("a\rb\nc\td\be\x7F"), "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFD");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\uFFFD");
  EXPECT_EQ(printable("\u0085\u009B31m"), "\uFFFD\uFFFD31m");  // C1: next line, control sequence
  EXPECT_EQ(printable("\u202Eab\u202C\u2066c\u2069\u200F"), "\uFFFDab\uFFFD\uFFFDc\uFFFD\uFFFD");
  EXPECT_EQ(printable("\u2028"), "\uFFFD");
}

TEST(Printable, EachByteThatIsNotUtf8IsReplaced) {
  EXPECT_EQ(printable("a\xFF\xE6\xB3z"), "a\uFFFD\uFFFD\uFFFDz");
}

TEST(AsciiOf, IsAsWideAsTheTextWas) {
  EXPECT_EQ(ascii_of("a 注意 é…␣\n"), "a ???? ?~_\n");
  EXPECT_EQ(ascii_of("Δ = 1 ± 2 − 3 × √8, ‖Q Kᵀ‖ ≤ 4 → 5"),
            "delta = 1 +- 2 - 3 x sqrt 8, ||Q K^T|| <= 4 -> 5");
  EXPECT_EQ(ascii_of("e\u0301"), "e") << "a combining mark takes no column";
  EXPECT_EQ(ascii_of("\xFF\xE6z"), "??z");
  EXPECT_EQ(ascii_of("\x1b[0m"), "\x1b[0m");
}

TEST(Shorten, CutsAtColumnsAndNeverWithinACharacter) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6), "abcde…");
  EXPECT_EQ(shorten("注意力机制", 6), "注意…");
  EXPECT_EQ(shorten("注意力", 6), "注意力");
}

TEST(Shorten, IsNeverWiderThanItMayBe) {
  for (size_t width = 0; width < 12; ++width) {
    EXPECT_LE(display_width(shorten("a注意力机制z", width)), width) << width;
  }
  EXPECT_EQ(shorten("ab", 1), "…");
  EXPECT_EQ(shorten("ab", 0), "");
  EXPECT_EQ(shorten("", 0), "");
}

TEST(Padding, FillsToColumnsNotBytes) {
  EXPECT_EQ(pad_right("注意", 6), "注意  ");
  EXPECT_EQ(pad_left("注意", 6), "  注意");
}

TEST(Padding, WiderTextStaysWhole) {
  EXPECT_EQ(pad_right("注意", 3), "注意");
  EXPECT_EQ(pad_left("注意", 4), "注意");
}

}  // namespace
}  // namespace qkvlab
