#include "report/map_data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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

TEST(MapData, AveragesOfFewTokensAreExact) {
  for (const int n : {1, 2, 3, 4, 6, 7, 9, 12}) {
    const float share = 1.0f / static_cast<float>(n);
    const auto byte = static_cast<unsigned char>(weight_bytes({share})[0]);
    EXPECT_EQ(byte * n, kWeightLevels) << n;
  }
}

TEST(MapData, WeightsAreRightToWithinTwoThousandths) {
  for (int i = 0; i <= 1000; ++i) {
    const auto weight = static_cast<float>(i) / 1000;
    const auto byte = static_cast<unsigned char>(weight_bytes({weight})[0]);
    EXPECT_NEAR(static_cast<double>(byte) / kWeightLevels, weight, 0.002);
  }
}

TEST(MapData, WhatIsNotFiniteIsNoWeight) {
  const std::string bytes = weight_bytes({kNan, kInf, -kInf, 1.5f, -0.5f});
  for (const size_t i : {0, 1, 2}) EXPECT_EQ(static_cast<unsigned char>(bytes[i]), kNoWeight);
  EXPECT_EQ(static_cast<unsigned char>(bytes[3]), kWeightLevels);
  EXPECT_EQ(bytes[4], '\0');
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
  // 0.1, 0.2, 0.7, 1, 0, 0 in steps of 1/252: 25, 50, 176, 252, 0, 0; by hand in base64.
  EXPECT_EQ(got.chunks[0][0], "GTKw/AAA");
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
