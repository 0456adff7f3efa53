#include "report/text_block.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

TextBlock block(const std::vector<std::string>& lines) {
  TextBlock one;
  for (const std::string& line : lines) one.add(line);
  return one;
}

TEST(TextBlock, StandsBesideOthersAsFarAsThereIsRoom) {
  const std::vector<TextBlock> blocks = {block({"aaaa", "b"}), block({"我", "喜欢", "x"}),
                                         block({"end"})};
  EXPECT_EQ(side_by_side(blocks, 17), "aaaa   我     end\nb      喜欢\n       x\n");
  EXPECT_EQ(side_by_side(blocks, 16), "aaaa   我\nb      喜欢\n       x\n\nend\n");
  EXPECT_EQ(side_by_side(blocks, 1), "aaaa\nb\n\n我\n喜欢\nx\n\nend\n");
}

TEST(TextBlock, KeepsTogetherWhatBelongsTogether) {
  const TextBlock one = block({"x"});
  EXPECT_EQ(side_by_side({one, one, one, one}, 9, 2), "x   x\n\nx   x\n");
  EXPECT_EQ(side_by_side({one, one, one, one}, 9, 1), "x   x   x\n\nx\n");
  EXPECT_EQ(side_by_side({one, one, one}, 9, 2), "x   x   x\n") << "the last line holds all";
  EXPECT_EQ(side_by_side({one, one, one}, 5, 3), "x   x\n\nx\n") << "three do not fit";
}

TEST(TextBlock, CountsTheColumnsOfColouredTextAsTold) {
  TextBlock coloured;
  coloured.add("\x1b[48;5;17m  \x1b[0m  ", 4);
  EXPECT_EQ(coloured.width(), 4u);
  EXPECT_EQ(side_by_side({coloured, block({"x"})}, 80), "\x1b[48;5;17m  \x1b[0m     x\n");
  EXPECT_EQ(side_by_side({coloured}, 80), "\x1b[48;5;17m  \x1b[0m\n") << "no blanks at the end";
}

TEST(TextBlock, WrapsBetweenEntries) {
  EXPECT_EQ(wrapped({"ab", "我", "cd", "long entry"}, ", ", 6),
            (std::vector<std::string>{"ab, 我", "cd", "long entry"}));
  EXPECT_TRUE(wrapped({}, ", ", 6).empty());
}

TEST(Paragraph, BreaksBetweenWordsAlone) {
  EXPECT_EQ(paragraph("", "the smallest p  that they can reach", 2, 14),
            "the smallest p\n"
            "  that they\n"
            "  can reach\n");
  EXPECT_EQ(paragraph("- ", "an/unbroken/path ends", 2, 8), "- an/unbroken/path\n  ends\n");
  EXPECT_EQ(paragraph("", "我 喜欢 机器人", 0, 7), "我 喜欢\n机器人\n");
  EXPECT_EQ(paragraph("", "", 2, 80), "\n");
}

TEST(Paragraph, MarksLinesThatGoOn) {
  EXPECT_EQ(paragraph("  ", "qkvlab train a.json", 4, 14, " \\"),
            "  qkvlab \\\n"
            "    train \\\n"
            "    a.json\n");
}

}  // namespace
}  // namespace qkvlab
