#include "report/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "report/page_text.hpp"

namespace qkvlab {

namespace {

std::array<double, 3> channels_of(double weight) {
  const double place = std::clamp(weight, 0.0, 1.0) * (kWeightColours.size() - 1);
  const size_t below = std::min(static_cast<size_t>(place), kWeightColours.size() - 2);
  const double share = place - static_cast<double>(below);
  const auto digits = [](size_t at) {
    return bytes_of_hex(std::string_view(kWeightColours[at]).substr(1));
  };
  const std::string low = digits(below), high = digits(below + 1);
  std::array<double, 3> channels{};
  for (size_t i = 0; i < channels.size(); ++i) {
    channels[i] = (1 - share) * static_cast<unsigned char>(low[i]) +
                  share * static_cast<unsigned char>(high[i]);
  }
  return channels;
}

/// Relative luminance as WCAG 2 defines it.
double luminance_of(const std::array<double, 3>& channels) {
  constexpr std::array<double, 3> kShares = {0.2126, 0.7152, 0.0722};
  double luminance = 0;
  for (size_t i = 0; i < channels.size(); ++i) {
    const double c = channels[i] / 255;
    luminance += kShares[i] * (c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return luminance;
}

}  // namespace

std::string weight_colour(double weight) {
  std::string colour = "#";
  for (const double channel : channels_of(weight)) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x",
                  static_cast<unsigned>(std::lround(channel)));
    colour += digits.data();
  }
  return colour;
}

bool wants_dark_text(double weight) {
  // The luminance whose contrast with white equals that with black: √(1.05 · 0.05) − 0.05.
  constexpr double kMiddle = 0.179;
  return luminance_of(channels_of(weight)) > kMiddle;
}

}  // namespace qkvlab
