#include "report/weight_scale.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "report/xterm_colours.hpp"

namespace qkvlab {
namespace {

double lightness(double luminance_of) {
  return luminance_of <= 216.0 / 24389 ? luminance_of * 24389 / 27
                                       : 116 * std::cbrt(luminance_of) - 16;
}

/// What somebody without green or red cones sees, as linear red, green and blue: Machado, Oliveira
/// and Fernandes 2009, severity 1.
Rgb without_cones(const Rgb& rgb, bool green) {
  constexpr double kNoGreen[3][3] = {{0.367322, 0.860646, -0.227968},
                                     {0.280085, 0.672501, 0.047413},
                                     {-0.011820, 0.042940, 0.968881}};
  constexpr double kNoRed[3][3] = {{0.152286, 1.052583, -0.204868},
                                   {0.114503, 0.786281, 0.099216},
                                   {-0.003882, -0.048116, 1.051998}};
  Rgb seen = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      seen[i] += (green ? kNoGreen : kNoRed)[i][j] * linear(rgb[j]);
    }
  }
  return seen;
}

TextStyle coloured() {
  TextStyle style;
  style.colours = true;
  return style;
}

TextStyle ascii() {
  TextStyle style;
  style.ascii = true;
  return style;
}

/// The colours of the levels from zero on, each once.
std::vector<Colour> ramp() {
  const WeightScale scale(1, coloured());
  std::vector<Colour> colours;
  for (int i = 0; i <= 1000; ++i) {
    const Colour colour = scale.of_weight(i / 1000.0).background;
    if (colours.empty() || colours.back() != colour) colours.push_back(colour);
  }
  return colours;
}

TEST(WeightScale, ColoursGrowLighterByStepsThatCanBeSeen) {
  double last = -9;
  for (const Colour colour : ramp()) {
    const double now = lightness(luminance(rgb_of(colour)));
    EXPECT_GE(now - last, 9) << colour;
    EXPECT_LE(now - last, 15) << colour;
    last = now;
  }
  EXPECT_EQ(ramp().size(), 9u);
  EXPECT_GT(last, 95);
}

TEST(WeightScale, ColoursGrowLighterForTheColourBlindToo) {
  for (const bool green : {true, false}) {
    double last = -4;
    for (const Colour colour : ramp()) {
      const Rgb seen = without_cones(rgb_of(colour), green);
      const double now = lightness(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
      EXPECT_GE(now, last + 4) << colour;
      last = now;
    }
  }
}

TEST(WeightScale, TextOnEveryCellCanBeRead) {
  const WeightScale scale(1, coloured());
  std::vector<CellLook> looks = {scale.of_nothing(), scale.of_not_finite()};
  for (int i = 0; i <= 16; ++i) looks.push_back(scale.of_weight(i / 16.0));
  for (const CellLook& look : looks) {
    EXPECT_GE(contrast(rgb_of(look.foreground), rgb_of(look.background)), 4.5) << look.background;
  }
}

TEST(WeightScale, LevelsDivideTheScaleEvenlyAndZeroIsApart) {
  const WeightScale scale(0.5, ascii());
  const std::string levels = ".:-=+*#@";
  EXPECT_EQ(scale.of_weight(0).glyph, " ");
  EXPECT_EQ(scale.of_weight(1e-30).glyph, ".");
  for (size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(scale.of_weight((static_cast<double>(i) + 0.5) / 16).glyph, levels.substr(i, 1));
  }
  EXPECT_EQ(scale.of_weight(0.5).glyph, "@") << "the end belongs to the last level";
  EXPECT_EQ(scale.of_weight(7).glyph, "@");
  EXPECT_EQ(scale.of_weight(-1).glyph, " ");
}

TEST(WeightScale, EndsAtARoundNumber) {
  for (const auto& [largest, top] : std::vector<std::pair<double, double>>{{1, 1},
                                                                           {1.000001, 1},
                                                                           {0.51, 1},
                                                                           {0.5, 0.5},
                                                                           {0.21, 0.5},
                                                                           {0.013, 0.02},
                                                                           {3, 5},
                                                                           {0, 1}}) {
    EXPECT_DOUBLE_EQ(WeightScale(largest, TextStyle()).top(), top) << largest;
  }
}

TEST(WeightScale, WhatIsNoWeightLooksLikeNone) {
  for (const TextStyle& style : {TextStyle(), coloured(), ascii()}) {
    const WeightScale scale(1, style);
    const auto look = [](const CellLook& one) { return std::pair(one.background, one.glyph); };
    std::set<std::pair<Colour, std::string>> looks = {look(scale.of_nothing()),
                                                      look(scale.of_not_finite())};
    EXPECT_EQ(looks.size(), 2u);
    for (int i = 0; i <= 100; ++i) {
      EXPECT_EQ(looks.count(look(scale.of_weight(i / 100.0))), 0u);
    }
  }
}

TEST(WeightScale, TheLegendNamesWhereLevelsBegin) {
  EXPECT_EQ(side_by_side({WeightScale(1, TextStyle()).legend()}, 80),
            "weight         ░░░░░░░▒▒▒▒▒▒▒▓▓▓▓▓▓▓███████\n"
            "        0      >0     0.25   0.5    0.75   1\n");
  EXPECT_EQ(side_by_side({WeightScale(0.2, ascii()).legend()}, 80),
            "weight         .......:::::::-------=======+++++++*******#######@@@@@@@\n"
            "        0      >0     0.025  0.05   0.075  0.1    0.125  0.15   0.175  0.2\n");
  TextStyle narrow = ascii();
  narrow.width = 50;
  EXPECT_EQ(side_by_side({WeightScale(1, narrow).legend()}, 50),
            "weight      ....::::----====++++****####@@@@\n"
            "        0   >0      0.25    0.5     0.75    1\n");
}

}  // namespace
}  // namespace qkvlab
