#include "report/text_canvas.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

std::string text(const TextCanvas& canvas, size_t lines) {
  std::string drawn;
  for (size_t line = 0; line < lines; ++line) drawn += canvas.line(line, false) + "\n";
  return drawn;
}

TEST(TextCanvas, EveryDotOfACharacterHasItsPlace) {
  // By the numbering of the Unicode standard: dots 1, 2, 3, 7 down the left, 4, 5, 6, 8 the right.
  const std::vector<std::string> left = {"⠁", "⠂", "⠄", "⡀"}, right = {"⠈", "⠐", "⠠", "⢀"};
  for (size_t i = 0; i < 4; ++i) {
    for (const bool is_right : {false, true}) {
      TextCanvas canvas(1, 1, false);
      const CanvasPoint at = {is_right ? 1.0 : 0.0, 1 - static_cast<double>(i) / 3};
      canvas.draw(at, at, 'a', kPlain);
      EXPECT_EQ(canvas.line(0, false), (is_right ? right : left)[i]);
    }
  }
}

TEST(TextCanvas, LinesAreDots) {
  TextCanvas canvas(4, 2, false);
  canvas.draw({0, 0}, {1, 1}, 'a', kPlain);
  EXPECT_EQ(text(canvas, 2), "  ⡠⠊\n⡠⠊  \n");
}

TEST(TextCanvas, InAsciiLinesAreTheirLetters) {
  TextCanvas canvas(5, 3, true);
  canvas.draw({0, 0}, {1, 1}, 'a', kPlain);
  canvas.draw({0, 1}, {1, 0}, 'b', kPlain);
  // In each line of cells a line of slope 3/5 passes the columns up to 1.67, to 3.33 and to 5.
  EXPECT_EQ(text(canvas, 3), "bb aa\n *** \naa bb\n");
}

TEST(TextCanvas, LettersStandOnLinesAndBars) {
  TextCanvas canvas(3, 3, false);
  canvas.draw({0, 0.5}, {1, 0.5}, 'a', kPlain);
  canvas.bar(0.5, -7, 1, kPlain);
  canvas.mark({0.5, 0.5}, 'a', kPlain);
  const std::string drawn = text(canvas, 3);
  EXPECT_EQ(canvas.line(0, false), " │ ");
  EXPECT_EQ(canvas.line(2, false), " │ ");
  EXPECT_NE(canvas.line(1, false).find('a'), std::string::npos);
  canvas.mark({0.5, 0.5}, 'a', kPlain);
  EXPECT_EQ(text(canvas, 3), drawn);
  canvas.mark({0.5, 0.5}, 'b', kPlain);
  EXPECT_NE(canvas.line(1, false).find('*'), std::string::npos);
}

TEST(TextCanvas, WhatIsOutsideIsNotDrawn) {
  TextCanvas canvas(2, 2, false);
  canvas.mark({-0.1, 0.5}, 'a', kPlain);
  canvas.mark({0.5, 1.1}, 'a', kPlain);
  canvas.draw({2, 2}, {3, 3}, 'a', kPlain);
  EXPECT_EQ(text(canvas, 2), "  \n  \n");
}

TEST(TextCanvas, ColoursAreThoseOfTheCurve) {
  TextCanvas canvas(3, 1, true);
  canvas.mark({0, 0.5}, 'a', 32);
  EXPECT_EQ(canvas.line(0, true), "\x1b[38;5;32ma\x1b[0m  ");
  EXPECT_EQ(canvas.line(0, false), "a  ");
}

}  // namespace
}  // namespace qkvlab
