#include "report/map_choice.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

using NumberSet = std::set<int64_t>;

/// Maps of 16 × 16 of every seed, step and sample, in one layer of two heads.
std::vector<MapPlace> maps_of(int64_t seeds, int64_t steps, int64_t samples) {
  std::vector<MapPlace> maps;
  for (int64_t seed = 0; seed < seeds; ++seed) {
    for (int64_t step = 0; step < steps; ++step) {
      for (int64_t sample = 0; sample < samples; ++sample) {
        for (const int64_t head : {0, 1}) maps.push_back({seed, 10 * step, 0, head, sample, 256});
      }
    }
  }
  return maps;
}

int64_t bytes_of(const std::vector<MapPlace>& maps, const MapChoice& choice) {
  int64_t bytes = 0;
  for (const MapPlace& map : maps) bytes += choice.has(map) ? map_bytes(map.weights) : 0;
  return bytes;
}

TEST(MapChoice, WhatFitsIsAllInAndNothingIsSaid) {
  const auto maps = maps_of(3, 4, 2);
  const MapChoice choice = choose_maps(maps, int64_t{48} * map_bytes(256));
  EXPECT_EQ(choice.maps, 48);
  EXPECT_EQ(choice.of, 48);
  EXPECT_TRUE(choice.words.empty());
}

TEST(MapChoice, OneByteLessLeavesSomethingOutAndSaysSo) {
  const auto maps = maps_of(12, 4, 2);
  const int64_t all = static_cast<int64_t>(maps.size()) * map_bytes(256);
  const MapChoice choice = choose_maps(maps, all - 1);
  EXPECT_EQ(choice.seeds, (NumberSet{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(choice.steps, (NumberSet{0, 10, 20, 30}));
  EXPECT_EQ(choice.words,
            "Of 192 recorded maps 128 are in this page, to keep it small: 8 of 12 seeds (the "
            "smallest), 4 of 4 steps, 2 of 2 samples.");
}

TEST(MapChoice, TheFirstAndLastStepStay) {
  const auto maps = maps_of(8, 100, 1);
  const MapChoice choice = choose_maps(maps, 200 * map_bytes(256));
  EXPECT_EQ(*choice.steps.begin(), 0);
  EXPECT_EQ(*choice.steps.rbegin(), 990);
  EXPECT_LE(choice.steps.size(), 13u);
  EXPECT_LE(bytes_of(maps, choice), 200 * map_bytes(256));
}

TEST(MapChoice, HoweverLittleFitsItIsNeverMore) {
  const auto maps = maps_of(10, 30, 3);
  for (int64_t budget = 1; budget < 1'000'000; budget = budget * 3 / 2 + 1) {
    const MapChoice choice = choose_maps(maps, budget);
    EXPECT_LE(bytes_of(maps, choice), budget);
    int64_t kept = 0;
    for (const MapPlace& map : maps) kept += choice.has(map) ? 1 : 0;
    EXPECT_EQ(choice.maps, kept) << budget;
  }
}

TEST(MapChoice, MapsThatAreTooLargeAreRefusedPolitely) {
  const MapChoice choice = choose_maps({{0, 0, 0, 0, 0, int64_t{1} << 30}}, 1 << 20);
  EXPECT_EQ(choice.maps, 0);
  EXPECT_NE(choice.words.find("too large"), std::string::npos);
}

TEST(MapChoice, NoMapsAreNoTrouble) {
  const MapChoice choice = choose_maps({}, 0);
  EXPECT_EQ(choice.maps, 0);
  EXPECT_TRUE(choice.words.empty());
}

}  // namespace
}  // namespace qkvlab
