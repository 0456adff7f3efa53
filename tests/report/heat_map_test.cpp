#include "report/heat_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/terminal.hpp"
#include "record/record_examples.hpp"
#include "report/map_labels.hpp"

namespace qkvlab {
namespace {

using Texts = std::vector<std::string>;

/// Every query attends to itself and, with three times the weight, to the one before.
AttentionRecord map_of(const Texts& tokens) {
  AttentionRecord map;
  map.tokens = tokens;
  const auto count = static_cast<int64_t>(tokens.size());
  map.queries = map.keys = count;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < count; ++j) {
      const bool first = i == 0 && j == 0;
      map.weights.push_back(first ? 1 : j == i ? 0.25f : j == i - 1 ? 0.75f : 0);
    }
  }
  return map;
}

Texts numbered(int64_t count) {
  Texts tokens;
  for (int64_t i = 0; i < count; ++i) tokens.push_back("w" + std::to_string(i));
  return tokens;
}

TextStyle style_of(bool colours, bool ascii) {
  TextStyle style;
  style.colours = colours;
  style.ascii = ascii;
  return style;
}

HeatMap draw(const AttentionRecord& map, const TextStyle& style, const MapRoom& room = {},
             const Texts& title = {}) {
  return heat_map(map, title, WeightScale(1, style), style, room);
}

std::string text(const HeatMap& map) { return side_by_side({map.block}, 1000); }

std::string text_of(const AttentionRecord& map, const TextStyle& style, const MapRoom& room = {}) {
  return text(draw(map, style, room));
}

Texts lines_of(const std::string& text) {
  Texts lines;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return lines;
}

MapRoom room_of(size_t columns, size_t at_most, size_t lines = 24) {
  MapRoom room;
  room.columns = columns;
  room.at_most = at_most;
  room.lines = lines;
  return room;
}

TEST(HeatMap, SmallMapsNameTheirWeightsUnderTheTokens) {
  EXPECT_EQ(text(draw(map_of({"我", "喜欢", "机器人"}), style_of(false, false), {}, {"a title"})),
            "a title\n"
            "            我    喜欢  机器人\n"
            "我     █  1.00    0.00    0.00\n"
            "喜欢   █  0.75 ▒  0.25    0.00\n"
            "机器人    0.00 █  0.75 ▒  0.25\n");
  EXPECT_EQ(text_of(map_of({"a", "bc"}), style_of(false, true)),
            "        a     bc\n"
            "a  @ 1.00   0.00\n"
            "bc # 0.75 - 0.25\n");
}

TEST(HeatMap, InColoursWeightsStandOnTheirColour) {
  // Of the eight levels 0.25 is in the third (25), 0.75 in the seventh (221); zero is black (16).
  EXPECT_EQ(text_of(map_of({"a", "b"}), style_of(true, false)),
            "      a     b\n"
            "a \x1b[38;5;16m\x1b[48;5;228m 1.00 \x1b[38;5;231m\x1b[48;5;16m 0.00 \x1b[0m\n"
            "b \x1b[38;5;16m\x1b[48;5;221m 0.75 \x1b[38;5;231m\x1b[48;5;25m 0.25 \x1b[0m\n");
}

TEST(HeatMap, WhereNumbersDoNotFitACellIsTwoColumns) {
  const AttentionRecord map = map_of(numbered(7));
  EXPECT_EQ(text_of(map, style_of(false, true), room_of(20, 80)),
            "     0         5\n"
            "0 w0 @@\n"
            "1 w1 ##--\n"
            "2 w2   ##--\n"
            "3 w3     ##--\n"
            "4 w4       ##--\n"
            "5 w5         ##--\n"
            "6 w6           ##--\n");
}

TEST(HeatMap, ThenOneColumn) {
  EXPECT_EQ(text_of(map_of(numbered(12)), style_of(false, false), room_of(19, 80)),
            "       0         10\n"
            " 0 w0  █\n"
            " 1 w1  █▒\n"
            " 2 w2   █▒\n"
            " 3 w3    █▒\n"
            " 4 w4     █▒\n"
            " 5 w5      █▒\n"
            " 6 w6       █▒\n"
            " 7 w7        █▒\n"
            " 8 w8         █▒\n"
            " 9 w9          █▒\n"
            "10 w10          █▒\n"
            "11 w11           █▒\n");
}

TEST(HeatMap, InColoursThatIsTwoQueriesToALine) {
  const std::string drawn = text_of(map_of(numbered(3)), style_of(true, false), room_of(11, 11, 2));
  EXPECT_EQ(
      drawn,
      "        0\n"
      "0 w0 w1 \x1b[38;5;228m\x1b[48;5;221m▀\x1b[38;5;16m\x1b[48;5;25m▀\x1b[48;5;16m▀\x1b[0m\n"
      "2 w2    \x1b[38;5;16m▀\x1b[38;5;221m▀\x1b[38;5;25m▀\x1b[0m\n");
  EXPECT_EQ(text_of(map_of(numbered(2)), style_of(true, false), room_of(10, 10, 1)),
            "        0\n"
            "0 w0 w1 \x1b[38;5;228m\x1b[48;5;221m▀\x1b[38;5;16m\x1b[48;5;25m▀\x1b[0m\n");
}

TEST(HeatMap, CharactersStandAboveTheirColumns) {
  const Texts characters = {"t", "o", " ", "b", "e", "\n"};
  const Texts lines =
      lines_of(text_of(map_of(characters), style_of(false, false), room_of(10, 10)));
  EXPECT_EQ(lines[0], "    to␣be↵");
  EXPECT_EQ(lines[3], "2 ␣  █▒");
  const Texts chinese =
      lines_of(text_of(map_of({"我", "们", "好"}), style_of(false, false), room_of(11, 11)));
  EXPECT_EQ(chinese[0], "     我们好");
  EXPECT_EQ(chinese[2], "1 们 ██▒▒");
}

TEST(HeatMap, ATokensNumberStandsForItWhereItDoesNotFit) {
  const HeatMap drawn = draw(map_of(numbered(12)), style_of(false, false), room_of(15, 15));
  EXPECT_FALSE(drawn.names_tokens);
  EXPECT_EQ(lines_of(text(drawn))[12], "11           █▒");
  EXPECT_TRUE(draw(map_of(numbered(12)), style_of(false, false), room_of(19, 19)).names_tokens);
}

TEST(HeatMap, RatherTakesTheWholeWidthThanPools) {
  const AttentionRecord map = map_of(numbered(30));
  for (const bool colours : {true, false}) {
    const TextStyle style = style_of(colours, false);
    EXPECT_EQ(text_of(map, style, room_of(20, 40, 30)).find("mean"), std::string::npos);
    const HeatMap pooled = draw(map, style, room_of(20, 20, 30));
    EXPECT_LE(pooled.block.width(), 40u);
    EXPECT_NE(text(pooled).find("each cell is the mean of 2 x 2 weights"), std::string::npos);
  }
}

TEST(HeatMap, RatherTakesTheWholeWidthThanLeavesOutTokens) {
  const AttentionRecord map = map_of(numbered(9));
  const TextStyle style = style_of(false, false);
  EXPECT_EQ(text_of(map, style, room_of(8, 80)), text_of(map, style, room_of(80, 80)));
  EXPECT_TRUE(draw(map, style, room_of(8, 80)).names_tokens);
}

TEST(HeatMap, NeitherColumnsNorLinesAreExceeded) {
  for (const int64_t count : {1, 2, 15, 16, 17, 40, 100, 333}) {
    const AttentionRecord map = map_of(numbered(count));
    for (const size_t columns : {40, 80, 200}) {
      for (const size_t lines : {8, 24}) {
        for (const bool colours : {true, false}) {
          const HeatMap drawn =
              draw(map, style_of(colours, false), room_of(columns / 2, columns, lines));
          EXPECT_LE(drawn.block.width(), std::max<size_t>(columns, 38)) << count;
          EXPECT_LE(drawn.block.height(), lines + 2) << count << " with a header and a note";
        }
      }
    }
  }
}

TEST(HeatMap, PooledCellsAreNumberedByTheirFirstWeight) {
  const Texts lines =
      lines_of(text_of(map_of(numbered(40)), style_of(false, true), room_of(24, 24, 10)));
  EXPECT_EQ(lines[0], "   0");
  EXPECT_EQ(lines[1].substr(0, 3), " 0 ");
  EXPECT_EQ(lines[2].substr(0, 3), " 4 ");
  // 4 × 4 weights with 3 of 3/4 and 4 of 1/4 on average 13/64; above the corner one of 3/4.
  EXPECT_EQ(lines[3], " 8  .:");
  EXPECT_EQ(lines.back(), "each cell is the mean of 4 x 4 weights");
}

TEST(HeatMap, TellsOfQueriesOfNothingAndOfWeightsThatAreNotFinite) {
  AttentionRecord map = map_of({"a", "b", "c"});
  map.weights[3] = map.weights[4] = 0;
  map.weights[8] = kNan;
  const std::string plain = text_of(map, style_of(false, true));
  EXPECT_EQ(plain,
            "       a      b      c\n"
            "a @ 1.00   0.00   0.00\n"
            "b x    x x    x x    x\n"
            "c   0.00 # 0.75 ?    ?\n"
            "1 of the queries attend to nothing (x)\n"
            "1 of the weights are not finite (?)\n");
  const std::string blocks = text_of(map, style_of(true, false), room_of(9, 9));
  EXPECT_NE(blocks.find("nothing (grey)"), std::string::npos);
  EXPECT_NE(blocks.find("not finite (red)"), std::string::npos);
  EXPECT_NE(blocks.find("\x1b[48;5;244m"), std::string::npos);
  EXPECT_NE(blocks.find("\x1b[38;5;160m"), std::string::npos);
}

TEST(HeatMap, HostileTokensAreText) {
  const Texts tokens = {"\x1b[2J", "\u202Eabc", std::string(500, 'x'), "", "\xFF", "a\tb"};
  for (const bool colours : {true, false}) {
    for (const size_t columns : {200, 30}) {
      const std::string drawn =
          text_of(map_of(tokens), style_of(colours, false), room_of(columns, columns));
      EXPECT_EQ(drawn.find("\x1b[2J"), std::string::npos);
      EXPECT_EQ(drawn.find("\xE2\x80\xAE"), std::string::npos);
      EXPECT_EQ(drawn.find(std::string(20, 'x')), std::string::npos);
      EXPECT_EQ(drawn.find('\t'), std::string::npos);
      EXPECT_EQ(drawn.find('\xFF'), std::string::npos);
    }
  }
}

TEST(HeatMap, MapsOfOneTokenAndOfNoneAreMaps) {
  EXPECT_EQ(text_of(map_of({"我"}), style_of(false, true)), "       我\n我 @ 1.00\n");
  EXPECT_EQ(text_of(map_of({}), style_of(false, true)), "the map is empty\n");
}

TEST(HeatMap, WithoutTokensRowsAndColumnsAreNumbered) {
  AttentionRecord map;
  map.queries = 2;
  map.keys = 3;
  map.tokens = {"only", "two"};
  map.weights = {0, 0, 1, 0.25f, 0.25f, 0.5f};
  EXPECT_EQ(text_of(map, style_of(false, true)),
            "       0\n"
            "0 only     @@\n"
            "1 two  ----++\n");
  map.tokens.clear();
  EXPECT_EQ(lines_of(text_of(map, style_of(false, true)))[2], "1 ----++");
}

TEST(MapLabels, ATokenLegendFillsLines) {
  AttentionRecord map;
  map.tokens = {"the", "wind", "", " "};
  EXPECT_EQ(token_legend(map, 16), "0 the  1 wind\n2 ''  3 ␣\n");
  // Blanks at the ends and breaks are seen, and " the" is not "the".
  EXPECT_EQ(token_label(" the", 9), "␣the");
  EXPECT_EQ(token_label("  ", 9), "␣␣");
  EXPECT_EQ(token_label("a b\n\n", 9), "a b↵↵");
  map.tokens.resize(101);
  EXPECT_EQ(token_legend(map, 80), "");
}

TEST(MapLabels, OnlySingleCharactersStandWithoutGaps) {
  EXPECT_TRUE(are_characters({"a", "␣", "é"}, 1));
  EXPECT_FALSE(are_characters({"a", "11"}, 2));
  EXPECT_FALSE(are_characters({"我"}, 1));
  EXPECT_TRUE(are_characters({"我"}, 2));
}

}  // namespace
}  // namespace qkvlab
