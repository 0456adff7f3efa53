#include "report/text_plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "base/terminal.hpp"
#include "report/plot_table.hpp"
#include "report/xterm_colours.hpp"

namespace qkvlab {
namespace {

using Texts = std::vector<std::string>;

CurvePoint point(int64_t step, double mean) { return {step, 1, 0, mean, {}}; }

Curve falling(int64_t steps, double from, double factor) {
  Curve curve;
  for (int64_t i = 1; i <= steps; ++i) {
    curve.push_back(point(i, from * std::pow(factor, static_cast<double>(i))));
  }
  return curve;
}

Texts drawn(const Plot& plot, const PlotRoom& room = {}, bool ascii = true) {
  TextStyle style;
  style.ascii = ascii;
  const std::string text = side_by_side({text_plot(plot, room, style)}, 1000);
  Texts lines;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return lines;
}

size_t lines_with(const Texts& lines, const std::string& what) {
  return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(what) != std::string::npos;
  });
}

TEST(TextPlot, ALineByHand) {
  Plot plot;
  plot.title = "y = x";
  plot.lines = {{"line", {point(0, 0), point(10, 10)}}};
  PlotRoom room;
  room.columns = 25;
  room.lines = 5;
  const Texts lines = drawn(plot, room);
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0], "y = x");
  EXPECT_EQ(lines[1].substr(0, 4), "10 +");
  EXPECT_EQ(lines[5].substr(0, 5), " 0 +a");
  EXPECT_EQ(lines[1].back(), 'a');
  EXPECT_EQ(lines[1].size(), 25u);
  EXPECT_EQ(lines[3].find_first_of('a'), 12u) << "the middle line holds the middle of the curve";
  EXPECT_EQ(lines[6].substr(0, 5), "   ++");
  EXPECT_EQ(lines[7].find("10"), 23u);
}

TEST(TextPlot, IsNoWiderThanItsRoom) {
  Plot plot;
  for (int i = 0; i < 5; ++i) {
    plot.lines.push_back({"v" + std::to_string(i), falling(1000, 1 + i, 0.99)});
  }
  for (const bool ascii : {true, false}) {
    for (const size_t columns : {40, 80, 200}) {
      PlotRoom room;
      room.columns = columns;
      const Texts lines = drawn(plot, room, ascii);
      EXPECT_EQ(lines.size(), 1 + room.lines + 2);
      for (const std::string& line : lines) EXPECT_LE(display_width(line), columns);
    }
  }
}

TEST(TextPlot, DecadesAreLogarithmicAndTheTitleSaysSo) {
  Plot plot;
  plot.title = "loss";
  plot.lines = {{"a", {point(1, 1), point(2, 0.01)}}};
  EXPECT_EQ(drawn(plot)[0], "loss, logarithmic");
  plot.lines = {{"a", {point(1, 1), point(2, 0.011)}}};
  EXPECT_EQ(drawn(plot)[0], "loss");
  plot.lines = {{"a", {point(1, 1), point(2, 0)}}};
  EXPECT_EQ(drawn(plot)[0], "loss");
  plot.lines = {{"a", {point(1, 1), point(2, -100)}}};
  EXPECT_EQ(drawn(plot)[0], "loss");
}

TEST(TextPlot, EveryCurveHasALetterOfItsOwnOnIt) {
  Plot plot;
  plot.lines = {{"low", {point(0, 0), point(100, 0)}}, {"high", {point(0, 1), point(100, 1)}}};
  const Texts lines = drawn(plot, {}, false);
  EXPECT_NE(lines[1].find('b'), std::string::npos);
  EXPECT_EQ(lines[1].find('a'), std::string::npos);
  EXPECT_NE(lines[17].find('a'), std::string::npos);
  EXPECT_EQ(lines[17].find('b'), std::string::npos);
  EXPECT_EQ(letter_of_line(25), 'z');
  EXPECT_EQ(letter_of_line(26), 'A');
  EXPECT_EQ(letter_of_line(52), 'a');
}

TEST(TextPlot, ColoursStandOutFromBlackAndWhite) {
  Plot plot;
  for (int i = 0; i < 9; ++i) {
    plot.lines.push_back({"v", {point(0, i), point(1, i)}});
  }
  TextStyle style;
  style.colours = true;
  const std::string text = side_by_side({text_plot(plot, {}, style)}, 80);
  static const std::regex colour("38;5;([0-9]+)m");
  std::set<int> colours;
  for (std::sregex_iterator at(text.begin(), text.end(), colour), end; at != end; ++at) {
    colours.insert(std::stoi((*at)[1]));
  }
  EXPECT_EQ(colours.size(), 7u);
  for (const int one : colours) {
    // WCAG 2 wants a contrast of 3 for graphics.
    EXPECT_GE(contrast(rgb_of(one), {0, 0, 0}), 3) << one;
    EXPECT_GE(contrast(rgb_of(one), {1, 1, 1}), 3) << one;
  }
}

TEST(TextPlot, APointAtTheRimOfTheAxisIsDrawn) {
  Plot plot;
  plot.lines = {{"a", {point(0, 0), point(1, 0.6000000001), point(2, 0)}}};
  EXPECT_NE(drawn(plot)[1].find('a'), std::string::npos);
}

TEST(TextPlot, BarsSpanTheIntervalOfTheMean) {
  Plot plot;
  Curve narrow, wide;
  for (int64_t i = 0; i <= 10; ++i) {
    narrow.push_back({i, 5, 0, 0.5, Interval{0.49, 0.51}});
    wide.push_back({i, 5, 0, 0.5, Interval{0.0, 1.0}});
  }
  narrow.push_back({11, 5, 0, 0.0, {}});
  narrow.push_back({12, 5, 0, 1.0, {}});
  plot.lines = {{"narrow", narrow}};
  const auto bars = [](const Texts& lines) {
    return std::count_if(lines.begin() + 1, lines.begin() + 18, [](const std::string& line) {
      return line.find('|', line.find_first_of("|+") + 1) != std::string::npos;
    });
  };
  EXPECT_EQ(bars(drawn(plot)), 0);
  wide.insert(wide.end(), narrow.end() - 2, narrow.end());
  plot.lines = {{"wide", wide}};
  EXPECT_GE(bars(drawn(plot)), 14) << "all lines but those that hold the letter";
}

TEST(TextPlot, IntervalsOfFewSeedsDoNotSquashTheCurves) {
  Plot plot;
  plot.lines = {{"a", {{0, 2, 0, 0.1, Interval{-100, 102}}, {1, 2, 0, 2.0, Interval{-99, 103}}}}};
  const Texts lines = drawn(plot);
  EXPECT_EQ(lines_with(lines, "100"), 0u);
  EXPECT_EQ(lines_with(lines, "-"), 1u) << "of positive means the axis ends at zero";
}

TEST(TextPlot, AGapIsNotDrawnOver) {
  Plot plot;
  Curve curve;
  for (int64_t i = 0; i <= 100; ++i) {
    if (i < 40 || i > 60) {
      curve.push_back(point(i, static_cast<double>(i % 2)));
    } else {
      curve.push_back({i, 0, 3, {}, {}});
    }
  }
  plot.lines = {{"a", curve}};
  const Texts lines = drawn(plot);
  for (size_t i = 1; i <= 17; ++i) {
    EXPECT_EQ(lines[i].substr(0, 48).find('a', 38), std::string::npos) << lines[i];
  }
}

TEST(TextPlot, OfOneStepOrOfNothingFiniteThereIsNoPicture) {
  Plot plot;
  plot.title = "t";
  plot.lines = {{"a", {point(600, 2)}}};
  EXPECT_EQ(drawn(plot), Texts{"t"});
  plot.lines = {{"a", {{1, 0, 2, {}, {}}}}, {"b", {}}};
  EXPECT_EQ(drawn(plot), Texts{"t: no finite value"});
}

TEST(TextPlot, AMillionPointsAreDrawn) {
  Plot plot;
  plot.lines = {{"a", falling(1000000, 1, 0.99999)}};
  EXPECT_EQ(drawn(plot).size(), 20u);
}

TEST(PlotTable, SaysWhereCurvesEnd) {
  Plot plot;
  plot.lines = {
      {"注意", {{1, 10, 0, 0.5, Interval{0.4, 0.6}}, {5, 7, 1, 0.25, Interval{0.125, 0.5}}}},
      {"alone", {point(3, 2)}},
      {"broken", {{1, 0, 4, {}, {}}}},
      {"none", {}}};
  EXPECT_EQ(curve_ends(plot),
            "             at step        mean  95 % interval     runs\n"
            "  a  注意          5        0.25  0.125 to 0.5   7 of 10\n"
            "  b  alone         3           2                       1\n"
            "  c  broken           not finite                  0 of 4\n"
            "  d  none                   none                       0\n");
}

TEST(PlotTable, SeveralPlotsShareALegend) {
  Plot all, some;
  all.title = "all";
  all.lines = {{"x", {point(1, 0.5)}}, {"y", {point(1, 0.25), {2, 0, 1, {}, {}}}}};
  some.title = "W_Q";
  some.lines = {{"x", {point(1, 2)}}, {"y", {}}};
  EXPECT_EQ(last_means({all, some}),
            "     last mean   all   W_Q\n"
            "  a  x           0.5     2\n"
            "  b  y          0.25  none\n");
}

}  // namespace
}  // namespace qkvlab
