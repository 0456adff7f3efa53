#include "report/weight_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "record/record_examples.hpp"

namespace qkvlab {
namespace {

using Kind = WeightGrid::Kind;

AttentionRecord map_of(int64_t queries, int64_t keys) {
  AttentionRecord map;
  map.queries = queries;
  map.keys = keys;
  for (int64_t i = 0; i < queries * keys; ++i)
    map.weights.push_back(static_cast<float>(i * 7 % 13));
  return map;
}

TEST(WeightGrid, WhatFitsIsLeftAsItIs) {
  const AttentionRecord map = map_of(3, 5);
  const WeightGrid grid = weight_grid(map, 3, 5);
  ASSERT_EQ(grid.rows, 3);
  ASSERT_EQ(grid.columns, 5);
  EXPECT_EQ(grid.pooled, 1);
  for (int64_t i = 0; i < 15; ++i) EXPECT_EQ(grid.cells[i].weight, map.weights[i]);
}

TEST(WeightGrid, LargerMapsArePooledToTheMeanOfTheirWeights) {
  const AttentionRecord map = map_of(10, 7);
  const WeightGrid grid = weight_grid(map, 4, 7);  // 3 × 3 weights, fewer at the ends
  EXPECT_EQ(grid.pooled, 3);
  ASSERT_EQ(grid.rows, 4);
  ASSERT_EQ(grid.columns, 3);
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t column = 0; column < 3; ++column) {
      double sum = 0, count = 0;
      for (int64_t i = 3 * row; i < std::min<int64_t>(10, 3 * row + 3); ++i) {
        for (int64_t j = 3 * column; j < std::min<int64_t>(7, 3 * column + 3); ++j) {
          sum += map.weights[i * 7 + j];
          ++count;
        }
      }
      EXPECT_DOUBLE_EQ(grid.at(row, column).weight, sum / count);
      EXPECT_EQ(grid.at(row, column).kind, Kind::kWeight);
    }
  }
}

TEST(WeightGrid, QueriesOfNothingAndWeightsThatAreNotFiniteAreMarked) {
  AttentionRecord map = map_of(4, 4);
  for (const size_t i : {4, 5, 6, 7, 8, 9, 10, 11}) map.weights[i] = 0;
  map.weights[3] = kNan;
  map.weights[12] = -kInfinity;
  EXPECT_EQ(queries_of_nothing(map), 2);
  EXPECT_EQ(weights_not_finite(map), 2);
  EXPECT_EQ(largest_weight(map), *std::max_element(map.weights.begin() + 13, map.weights.end()));
  const WeightGrid grid = weight_grid(map, 4, 4);
  EXPECT_EQ(grid.at(0, 3).kind, Kind::kNotFinite);
  EXPECT_EQ(grid.at(0, 0).kind, Kind::kWeight) << "a single zero";
  EXPECT_EQ(grid.at(1, 0).kind, Kind::kNothing);
  EXPECT_EQ(grid.at(2, 3).kind, Kind::kNothing);
  EXPECT_EQ(grid.at(3, 0).kind, Kind::kNotFinite);
  const WeightGrid pooled = weight_grid(map, 2, 2);
  EXPECT_EQ(pooled.at(0, 0).kind, Kind::kWeight) << "one of its two queries attends to something";
  EXPECT_EQ(pooled.at(0, 1).kind, Kind::kNotFinite);
  EXPECT_EQ(pooled.at(1, 1).kind, Kind::kWeight);
}

TEST(WeightGrid, AnEmptyMapHasNoCells) {
  EXPECT_TRUE(weight_grid(map_of(0, 0), 5, 5).cells.empty());
  EXPECT_EQ(largest_weight(map_of(0, 0)), 0);
}

}  // namespace
}  // namespace qkvlab
