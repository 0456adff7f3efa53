#include "report/map_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "record/record_examples.hpp"

namespace qkvlab {
namespace {

using Json = nlohmann::json;

/// What the elements written by MapData hold.
struct Written {
  std::vector<Json> chunks;
  std::vector<Json> indexes;  // one
  std::string text;
};

Written written(const std::vector<AttentionRecord>& maps) {
  Written result;
  MapData data([&](std::string_view piece) { result.text += piece; });
  for (size_t i = 0; i < maps.size(); ++i) {
    data.add(i % 2 == 0 ? "full" : "</script>", static_cast<int64_t>(i) - 1, maps[i]);
  }
  data.finish();
  const std::string begin = "<script type=\"application/json\" ", end = "</script>\n";
  for (size_t at = 0; at < result.text.size();) {
    EXPECT_EQ(result.text.compare(at, begin.size(), begin), 0)
        << "something stands between the elements";
    const size_t open = result.text.find('>', at), close = result.text.find(end, at);
    const std::string attribute = result.text.substr(at + begin.size(), open - at - begin.size());
    const Json json = Json::parse(result.text.substr(open + 1, close - open - 1));
    if (attribute == "id=\"maps\"") {
      result.indexes.push_back(json);
    } else {
      EXPECT_EQ(attribute, "class=\"maps\"");
      result.chunks.push_back(json);
    }
    at = close + end.size();
  }
  EXPECT_EQ(result.indexes.size(), 1u);
  return result;
}

AttentionRecord row_of(const std::vector<float>& weights) {
  AttentionRecord map;
  map.queries = 1;
  map.keys = static_cast<int64_t>(weights.size());
  map.weights = weights;
  return map;
}

/// What a reader makes of the bytes of a map of one row; -1: not finite.
std::vector<double> read_back(const AttentionRecord& map) {
  const std::string bytes = weight_bytes(map);
  float largest = 0;
  std::memcpy(&largest, bytes.data(), 4);  // on machines that store the low byte first
  std::vector<double> weights;
  for (size_t i = 4; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    weights.push_back(byte == kNoWeight ? -1 : byte * static_cast<double>(largest) / kWeightLevels);
  }
  return weights;
}

TEST(MapData, WeightsAreRightToWithinAShareOfTheirRowsLargest) {
  for (const float largest : {1.0f, 1.0f / 520, 1e-6f}) {
    std::vector<float> weights;
    for (int i = 0; i <= 1000; ++i) weights.push_back(largest * static_cast<float>(i) / 1000);
    const std::vector<double> read = read_back(row_of(weights));
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_NEAR(read[i] / largest, weights[i] / largest, 1.001 / 504);
    }
  }
}

TEST(MapData, AnEvenRowOfManyTokensIsNotLostBesideASharpOne) {
  AttentionRecord map;
  map.queries = 2;
  map.keys = 520;
  map.weights.assign(1040, 1.0f / 520);
  map.weights[0] = 1;
  std::fill(map.weights.begin() + 1, map.weights.begin() + 520, 0.0f);
  const std::string bytes = weight_bytes(map);
  ASSERT_EQ(bytes.size(), 2u * 524);
  EXPECT_EQ(bytes.substr(0, 6), std::string("\0\0\x80\x3f\xfc\0", 6)) << "1 in IEEE's form";
  EXPECT_EQ(static_cast<unsigned char>(bytes[528]), kWeightLevels);
  EXPECT_EQ(static_cast<unsigned char>(bytes[1047]), kWeightLevels);
}

TEST(MapData, WhatIsNotFiniteIsNoWeightAndNoScale) {
  EXPECT_EQ(read_back(row_of({kNan, kInfinity, -kInfinity, 0.5f, -0.5f})),
            (std::vector<double>{-1, -1, -1, 0.5, 0}));
  EXPECT_EQ(read_back(row_of({0, 0})), (std::vector<double>{0, 0}));
}

TEST(MapData, EveryMapHasItsPlaceTokensAndFigures) {
  AttentionRecord map = attention_record();
  map.tokens = {"我", "</script><img src=x onerror=alert(1)>", ""};
  AttentionRecord second = map;
  second.step = 7;
  second.entropy = {kNan};
  const Written got = written({map, second});
  const Json& index = got.indexes[0];
  EXPECT_EQ(index["variants"], (Json{"full", "</script>"}));
  EXPECT_EQ(index["seeds"], (Json{"-1", "0"}));
  EXPECT_EQ(index["chunks"], Json{0});
  EXPECT_EQ(index["tokens"].size(), 1u) << "equal tokens are written once";
  EXPECT_EQ(index["tokens"][0][0], "我");
  EXPECT_EQ(index["tokens"][0][2], "''");
  // variant, seed, layer, head, sample, step, queries, keys, tokens, entropy, diagonal
  EXPECT_EQ(index["maps"],
            Json::parse("[0,0,1,2,3,100,2,3,0,0.4009,0.05, 1,1,1,2,3,7,2,3,0,null,0.05]"));
  ASSERT_EQ(got.chunks.size(), 1u);
  // Two rows of 4 + 3 bytes in base64.
  EXPECT_EQ(got.chunks[0][0].get<std::string>().size(), 20u);
}

TEST(MapData, ManyMapsAreInSeveralElements) {
  AttentionRecord map = attention_record();
  map.queries = map.keys = 200;
  map.weights.assign(40000, 0.25f);
  const Written got = written(std::vector<AttentionRecord>(20, map));
  const Json& index = got.indexes[0];
  ASSERT_GT(got.chunks.size(), 2u);
  ASSERT_EQ(got.chunks.size(), index["chunks"].size());
  size_t before = 0;
  for (size_t i = 0; i < got.chunks.size(); ++i) {
    EXPECT_EQ(index["chunks"][i], before);
    before += got.chunks[i].size();
  }
  EXPECT_EQ(before, 20u);
}

}  // namespace
}  // namespace qkvlab
