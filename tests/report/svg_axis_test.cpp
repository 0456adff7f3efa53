#include "report/svg_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/numbers.hpp"

namespace qkvlab {
namespace {

using Numbers = std::vector<double>;

TEST(SvgAxis, EndsAreRoundNumbersAroundTheValues) {
  const SvgAxis axis({0.13, 0.87, 0.5}, 100, 200);
  EXPECT_FALSE(axis.logarithmic());
  EXPECT_EQ(axis.marks().size(), 6u);
  EXPECT_DOUBLE_EQ(axis.marks().front(), 0);
  EXPECT_DOUBLE_EQ(axis.marks().back(), 1);
  EXPECT_DOUBLE_EQ(axis.at(0.5), 150);
  EXPECT_EQ(axis.place(0.25), "125");
  EXPECT_EQ(axis.mark_text(axis.marks()[1]), "0.2");
}

TEST(SvgAxis, MayRunUpwards) {
  const SvgAxis axis({0, 10}, 300, 0);
  EXPECT_DOUBLE_EQ(axis.at(0), 300);
  EXPECT_DOUBLE_EQ(axis.at(10), 0);
}

TEST(SvgAxis, WideRangesOfPositiveNumbersAreLogarithmic) {
  const SvgAxis axis({0.002, 3}, 0, 400);
  EXPECT_TRUE(axis.logarithmic());
  EXPECT_EQ(axis.marks().size(), 3u);  // of 0.002 to 5: 0.01, 0.1, 1
  EXPECT_NEAR(axis.at(0.1), 200, 1e-9);
  EXPECT_DOUBLE_EQ(axis.at(0), 0) << "what has no logarithm stands at the end";
  EXPECT_FALSE(SvgAxis({0.002, 3}, 0, 400, /*linear=*/true).logarithmic());
  EXPECT_FALSE(SvgAxis({-0.002, 3}, 0, 400).logarithmic());
  EXPECT_FALSE(SvgAxis({1, 19}, 0, 400).logarithmic());
}

TEST(SvgAxis, ManyDecadesHaveFewTicks) {
  const SvgAxis axis({1e-30, 1}, 0, 100);
  EXPECT_LE(axis.marks().size(), 8u);
  EXPECT_LE(axis.marks().front(), 1e-30 * (1 + 1e-9));
  EXPECT_GE(axis.marks().back(), 1);
}

TEST(SvgAxis, EqualValuesStandInTheMiddle) {
  for (const double value : {0.0, 1.0, -3.0, 1e-12, 1e12}) {
    const SvgAxis axis({value, value}, 0, 100);
    EXPECT_GT(axis.at(value), 20) << value;
    EXPECT_LT(axis.at(value), 80) << value;
  }
}

TEST(SvgAxis, WhatIsNotFiniteIsPassedOver) {
  const SvgAxis axis({1, kInfinity, std::nan(""), 2, -kInfinity}, 0, 100);
  EXPECT_DOUBLE_EQ(axis.marks().front(), 1);
  EXPECT_DOUBLE_EQ(axis.marks().back(), 2);
  EXPECT_DOUBLE_EQ(axis.at(kInfinity), 100);
  EXPECT_DOUBLE_EQ(axis.at(-kInfinity), 0);
  EXPECT_FALSE(SvgAxis(Numbers{}, 0, 100).marks().empty());
}

TEST(SvgAxis, PlacesAreShort) {
  EXPECT_EQ(svg_number(12), "12");
  EXPECT_EQ(svg_number(12.34), "12.3");
  EXPECT_EQ(svg_number(-0.04), "0");
  EXPECT_EQ(svg_number(100), "100");
}

TEST(SvgAxis, TextIsNoMarkup) {
  EXPECT_EQ(svg_text(1, 2.5, "name", "</text><script>"),
            "<text class=\"name\" x=\"1\" y=\"2.5\">&lt;/text&gt;&lt;script&gt;</text>");
}

}  // namespace
}  // namespace qkvlab
