#include "report/colour_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace qkvlab {
namespace {

/// CIE L* of "#rrggbb": how bright it looks.
double lightness(const std::string& colour) {
  double luminance = 0;
  const double shares[] = {0.2126, 0.7152, 0.0722};
  for (size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    luminance += shares[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return luminance > 0.008856 ? 116 * std::cbrt(luminance) - 16 : 903.3 * luminance;
}

TEST(ColourMap, EndsAndStopsAreThePublishedColours) {
  EXPECT_EQ(weight_colour(0), "#00224e");
  EXPECT_EQ(weight_colour(1), "#fee838");
  EXPECT_EQ(weight_colour(4.0 / 9), "#707173");
  EXPECT_EQ(weight_colour(-1), weight_colour(0));
  EXPECT_EQ(weight_colour(2), weight_colour(1));
}

TEST(ColourMap, BetweenStopsItIsHalfway) {
  // Between #00224e and #123570.
  EXPECT_EQ(weight_colour(0.5 / 9), "#092c5f");
}

TEST(ColourMap, MoreWeightIsBrighterByEqualSteps) {
  for (int i = 0; i < 9; ++i) {
    const double step = lightness(weight_colour((i + 1) / 9.0)) - lightness(weight_colour(i / 9.0));
    EXPECT_GT(step, 6) << i;
    EXPECT_LT(step, 12) << i;
  }
}

TEST(ColourMap, TextStandsOut) {
  // WCAG's contrast of white or #111 with what is behind.
  for (int i = 0; i <= 100; ++i) {
    const double weight = i / 100.0;
    const double l = lightness(weight_colour(weight));
    const double luminance = l > 8 ? std::pow((l + 16) / 116, 3) : l / 903.3;
    const double text = wants_dark_text(weight) ? 0.0056 : 1;
    const double contrast = (std::max(text, luminance) + 0.05) / (std::min(text, luminance) + 0.05);
    EXPECT_GE(contrast, 4) << weight;
  }
}

}  // namespace
}  // namespace qkvlab
