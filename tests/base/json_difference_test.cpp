#include "base/json_difference.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

std::string difference(const std::string& left, const std::string& right) {
  return first_difference(parse_json(left, "left"), parse_json(right, "right"), "there", "here")
      .value_or("");
}

TEST(JsonDifference, EqualValuesHaveNone) {
  EXPECT_EQ(difference(R"({"a": 1, "b": {"c": [1, "x", null]}})",
                       R"({"b": {"c": [1.0, "x", null]}, "a": 1})"),
            "");
}

TEST(JsonDifference, TheFirstIsNamedByItsPathAndBothValues) {
  EXPECT_EQ(difference(R"({"m": {"tie": true, "z": 1}})", R"({"m": {"tie": false, "z": 2}})"),
            "m.tie is true there, false here");
  EXPECT_EQ(difference(R"({"lr": 0.3})", R"({"lr": 0.1})"), "lr is 0.3 there, 0.1 here");
  EXPECT_EQ(difference(R"({"k": "sgd"})", R"({"k": "adam"})"), R"(k is "sgd" there, "adam" here)");
  EXPECT_EQ(difference(R"({"m": {"a": 1}})", R"({"m": null})"), "m is an object there, null here");
  EXPECT_EQ(difference(R"({"n": 1})", R"({"n": "1"})"), R"(n is 1 there, "1" here)");
}

TEST(JsonDifference, WhatOnlyOneHasIsMissingInTheOther) {
  EXPECT_EQ(difference(R"({"m": {"a": 1}})", R"({"m": {}})"), "m.a is 1 there, missing here");
  EXPECT_EQ(difference(R"({"m": {}})", R"({"m": {"a": 1}})"), "m.a is missing there, 1 here");
}

TEST(JsonDifference, ArraysDifferInLengthOrInAnElement) {
  EXPECT_EQ(difference("[1, 2]", "[1]"), " is an array of 2 there, an array of 1 here");
  EXPECT_EQ(difference(R"({"l": [0, 1]})", R"({"l": [0, 2]})"), "l[1] is 1 there, 2 here");
}

}  // namespace
}  // namespace qkvlab
