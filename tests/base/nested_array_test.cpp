#include "base/nested_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>

namespace qkvlab {
namespace {

template <typename T>
std::string text_of(const std::vector<T>& values, const std::vector<int64_t>& shape) {
  std::string text;
  write_nested_array(values, shape, [&](std::string_view piece) { text += piece; });
  return text;
}

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

TEST(NestedArray, NestsByTheShapeInRowMajorOrder) {
  EXPECT_EQ(text_of(Floats{1, 2, 3, 4, 5, 6}, {2, 3}), "[[1,2,3],[4,5,6]]");
  EXPECT_EQ(text_of(Floats{1, 2, 3, 4, 5, 6}, {3, 1, 2}), "[[[1,2]],[[3,4]],[[5,6]]]");
  EXPECT_EQ(text_of(Floats{1, 2}, {2}), "[1,2]");
  EXPECT_EQ(text_of(Floats{7}, {}), "7");
}

TEST(NestedArray, DimensionsWithoutLengthStayVisible) {
  EXPECT_EQ(text_of(Doubles{}, {0}), "[]");
  EXPECT_EQ(text_of(Doubles{}, {2, 0}), "[[],[]]");
  EXPECT_EQ(text_of(Doubles{}, {0, 2}), "[]");
}

TEST(NestedArray, NumbersAreTheShortestOfTheirOwnType) {
  EXPECT_EQ(text_of(Floats{0.1f, -0.0f}, {2}), "[0.1,-0.0]");
  EXPECT_EQ(text_of(Doubles{0.1, static_cast<double>(0.1f)}, {2}), "[0.1,0.10000000149011612]");
  EXPECT_EQ(text_of(Doubles{-std::numeric_limits<double>::infinity()}, {1}), R"(["-Infinity"])");
}

TEST(NestedArray, ALargeArrayComesInPiecesThatMakeOneText) {
  Doubles values(200 * 300);
  std::iota(values.begin(), values.end(), 0.5);
  std::string text;
  size_t longest = 0;
  write_nested_array(values, {200, 300}, [&](std::string_view piece) {
    text += piece;
    longest = std::max(longest, piece.size());
  });
  EXPECT_EQ(nlohmann::json::parse(text).flatten().size(), values.size());
  EXPECT_EQ(nlohmann::json::parse(text)[199][299].get<double>(), values.back());
  EXPECT_LT(longest, text.size() / 4);
}

TEST(NestedArray, AShapeThatDoesNotFitIsAMistakeOfTheProgram) {
  EXPECT_THROW(text_of(Floats{1, 2, 3}, {2, 2}), std::logic_error);
  EXPECT_THROW(text_of(Floats{1}, {-1}), std::logic_error);
  EXPECT_THROW(text_of(Floats{}, {}), std::logic_error);
}

}  // namespace
}  // namespace qkvlab
