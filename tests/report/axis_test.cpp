#include "report/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

namespace qkvlab {
namespace {

using Texts = std::vector<std::string>;

Texts texts_of(const Axis& axis) {
  Texts texts;
  for (const double mark : axis.marks) texts.push_back(axis.text(mark));
  return texts;
}

TEST(Axis, MarksAreRoundNumbersAtEqualDistances) {
  EXPECT_EQ(texts_of(linear_axis(0.13, 0.92, 5)),
            (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(texts_of(linear_axis(-3, 4, 5)), (Texts{"-4", "-2", "0", "2", "4"}));
  EXPECT_EQ(texts_of(linear_axis(0, 0.04, 5)), (Texts{"0.00", "0.01", "0.02", "0.03", "0.04"}));
  EXPECT_EQ(texts_of(linear_axis(1e7, 3e7, 3)), (Texts{"1e+07", "2e+07", "3e+07"}));
  EXPECT_EQ(texts_of(linear_axis(0, 2e-6, 3)), (Texts{"0", "1e-06", "2e-06"}));
  EXPECT_EQ(texts_of(exact_axis(1, 600, 7)), (Texts{"100", "200", "300", "400", "500", "600"}));
}

TEST(Axis, MarksFarFromZeroAreToldApart) {
  EXPECT_EQ(texts_of(exact_axis(0.693145, 0.693149, 5)),
            (Texts{"0.693145", "0.693146", "0.693147", "0.693148", "0.693149"}));
  EXPECT_EQ(texts_of(exact_axis(1000000, 1000100, 3)), (Texts{"1000000", "1000050", "1000100"}));
  for (const double offset : {1e3, 1e7, 1e-7, -5e12}) {
    const Texts texts = texts_of(exact_axis(offset, offset + std::abs(offset) * 1e-5, 5));
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size()) << offset;
    EXPECT_GE(texts.size(), 3u);
  }
}

TEST(Axis, ALinearAxisReachesFromMarkToMarkAnExactOneItsOwnEnds) {
  const Axis linear = linear_axis(0.13, 0.92, 5), exact = exact_axis(1, 600, 7);
  EXPECT_DOUBLE_EQ(linear.low, 0);
  EXPECT_DOUBLE_EQ(linear.high, 1);
  EXPECT_DOUBLE_EQ(linear.place(0.25), 0.25);
  EXPECT_EQ(exact.low, 1);
  EXPECT_EQ(exact.high, 600);
  EXPECT_EQ(exact.place(1), 0);
  EXPECT_EQ(exact.place(600), 1);
}

TEST(Axis, ALogarithmicAxisIsMarkedByPowers) {
  const Axis axis = logarithmic_axis(0.003, 0.7, 5);
  EXPECT_DOUBLE_EQ(axis.low, 0.002);
  EXPECT_DOUBLE_EQ(axis.high, 1);
  EXPECT_EQ(texts_of(axis), (Texts{"0.01", "0.1", "1"}));
  EXPECT_DOUBLE_EQ(axis.place(1), 1);
  EXPECT_DOUBLE_EQ(axis.place(0.002), 0);
  EXPECT_NEAR(axis.place(0.1) - axis.place(0.01), axis.place(1) - axis.place(0.1), 1e-12);
  EXPECT_EQ(texts_of(logarithmic_axis(3, 40, 9)), (Texts{"2", "5", "10", "20", "50"}));
  EXPECT_EQ(texts_of(logarithmic_axis(1e-9, 1, 4)), (Texts{"1e-09", "1e-06", "0.001", "1"}));
}

TEST(Axis, OneValueHasAnAxisToo) {
  for (const double value : {0.0, 3.0, -7.0, 1e-30, 1e30}) {
    const Axis axis = linear_axis(value, value, 5);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_GE(axis.place(value), 0);
    EXPECT_LE(axis.place(value), 1);
    EXPECT_GE(axis.marks.size(), 2u);
  }
  const Axis logarithmic = logarithmic_axis(5, 5, 5);
  EXPECT_LT(logarithmic.low, 5);
  EXPECT_GT(logarithmic.high, 5);
}

}  // namespace
}  // namespace qkvlab
