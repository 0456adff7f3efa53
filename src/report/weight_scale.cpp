#include "report/weight_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "base/number_text.hpp"
#include "base/terminal.hpp"

namespace qkvlab {

namespace {

/// Black, for zero, and eight colours from blue by green to light yellow, in the order of viridis
/// and cividis: of xterm's cube those whose lightness (CIE 1976 L*) rises by 9 to 15 from each to
/// the next, from 0 to 98, and by 4 or more where one kind of cones is missing (Machado et al.
/// 2009), so that they can be told apart without seeing hues.
constexpr std::array<Colour, 9> kRamp = {16, 18, 55, 25, 30, 72, 78, 221, 228};
constexpr size_t kFirstLight = 4;  // black text reads better from here on
constexpr Colour kBlack = 16, kWhite = 231, kGrey = 244, kRed = 160;

constexpr std::array<std::string_view, 5> kShades = {" ", "░", "▒", "▓", "█"};
constexpr std::string_view kAsciiShades = " .:-=+*#@";  // as many as colours

double scale_end(double largest) {
  if (!(largest > 0)) return 1;
  const double decade = std::pow(10, std::floor(std::log10(largest)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    // A sum of rounded weights may lie a little above 1.
    if (largest <= factor * decade * (1 + 1e-5)) return factor * decade;
  }
  return 10 * decade;
}

}  // namespace

WeightScale::WeightScale(double largest, const TextStyle& style)
    : top_(scale_end(largest)), style_(style) {}

int64_t WeightScale::levels() const {
  const bool few = !style_.colours && !style_.ascii;
  return static_cast<int64_t>(few ? kShades.size() : kRamp.size()) - 1;
}

CellLook WeightScale::of_level(int64_t level) const {
  const auto at = static_cast<size_t>(level);
  CellLook look;
  if (style_.colours) {
    look.glyph = " ";
    look.background = kRamp[at];
    look.foreground = at < kFirstLight ? kWhite : kBlack;
  } else {
    look.glyph = style_.ascii ? kAsciiShades.substr(at, 1) : kShades[at];
  }
  return look;
}

CellLook WeightScale::of_weight(double weight) const {
  if (weight <= 0) return of_level(0);
  const auto above = static_cast<int64_t>(weight / top_ * static_cast<double>(levels()));
  return of_level(1 + std::clamp<int64_t>(above, 0, levels() - 1));
}

CellLook WeightScale::of_nothing() const {
  return style_.colours ? CellLook{"x", kGrey, kBlack} : CellLook{"x"};
}

CellLook WeightScale::of_not_finite() const {
  return style_.colours ? CellLook{"?", kRed, kWhite} : CellLook{"?"};
}

TextBlock WeightScale::legend() const {
  constexpr size_t kRoomy = 80;
  constexpr int kDigits = 3;
  const size_t columns = style_.width < kRoomy ? 4 : 7;  // of a level
  const int64_t every = style_.width < kRoomy ? 2 : 1;   // level a number
  Painter looks;
  std::string numbers;
  for (int64_t level = 0; level <= levels(); ++level) {
    const CellLook look = of_level(level);
    for (size_t i = 0; i < columns; ++i) looks.put(look.glyph, kPlain, look.background);
    if (level > 0 && (level - 1) % every != 0) continue;
    const double from = top_ * static_cast<double>(level - 1) / static_cast<double>(levels());
    const std::string number = level == 0 ? "0" : level == 1 ? ">0" : significant(from, kDigits);
    numbers += pad_right(number, columns * static_cast<size_t>(level == 0 ? 1 : every));
  }
  numbers += significant(top_, kDigits);
  const size_t taken = columns * static_cast<size_t>(levels() + 1);
  const std::string title = "weight  ";
  TextBlock block;
  block.add(title + looks.finish(), title.size() + taken);
  block.add(std::string(title.size(), ' ') + numbers);
  return block;
}

}  // namespace qkvlab
