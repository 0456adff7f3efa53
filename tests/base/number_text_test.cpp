#include "base/number_text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace qkvlab {
namespace {

template <typename T>
std::string text_of(T value) {
  std::string text;
  append_number(text, value);
  return text;
}

template <typename T>
T random_bits(std::mt19937_64& generator) {
  const uint64_t bits = generator();
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(NumberText, IsTheShortestForTheNumbersOwnType) {
  EXPECT_EQ(text_of(0.1f), "0.1");
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(static_cast<double>(0.1f)), "0.10000000149011612");
  EXPECT_EQ(text_of(1.0f), "1");
  EXPECT_EQ(text_of(int64_t{-42}), "-42");
  EXPECT_EQ(text_of(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
}

TEST(NumberText, NonFiniteNumbersAreNamedStrings) {
  EXPECT_EQ(text_of(std::numeric_limits<float>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(text_of(std::numeric_limits<float>::infinity()), "\"Infinity\"");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "\"-Infinity\"");
}

TEST(NumberText, MinusZeroKeepsItsSign) {
  EXPECT_EQ(text_of(-0.0f), "-0.0");
  EXPECT_EQ(text_of(-0.0), "-0.0");
  EXPECT_EQ(text_of(0.0), "0");
}

TEST(NumberText, EveryFloatReadsBackToTheSameBitsAndNoShorterTextWould) {
  std::mt19937_64 generator(1);
  for (int i = 0; i < 200000; ++i) {
    const auto value = random_bits<float>(generator);
    if (!std::isfinite(value)) continue;
    const std::string text = text_of(value);
    ASSERT_EQ(std::strtof(text.c_str(), nullptr), value) << text;
    // A whole number may stand in full where that takes no more characters.
    if (text.find_first_of(".e") == std::string::npos) continue;
    // printf with one significant digit fewer must not name the same float.
    const auto exponent = text.find('e');
    std::string digits;
    for (const char c : text.substr(0, exponent)) {
      if (std::isdigit(static_cast<unsigned char>(c)) && (c != '0' || !digits.empty())) digits += c;
    }
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.size() < 2) continue;
    char shorter[64];
    std::snprintf(shorter, sizeof shorter, "%.*e", static_cast<int>(digits.size()) - 2,
                  static_cast<double>(value));
    ASSERT_NE(std::strtof(shorter, nullptr), value) << text << " or " << shorter;
  }
}

TEST(NumberText, EveryDoubleReadsBackToTheSameBits) {
  std::mt19937_64 generator(2);
  for (int i = 0; i < 200000; ++i) {
    const auto value = random_bits<double>(generator);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtod(text_of(value).c_str(), nullptr), value);
  }
}

TEST(NumberText, IsJson) {
  std::mt19937_64 generator(3);
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(nlohmann::json::accept(text_of(random_bits<float>(generator))));
    ASSERT_TRUE(nlohmann::json::accept(text_of(random_bits<double>(generator))));
  }
  for (const float value : {1e-45f, 3.4028235e38f, -0.0f, 1e10f}) {
    ASSERT_TRUE(nlohmann::json::accept(text_of(value))) << text_of(value);
  }
}

TEST(JsonString, ReadsBackToTheSameTextForEveryCharacter) {
  std::string all;
  for (char c = 0; c < 0x7F; ++c) all += c;
  all += "\x7F 注意力 🙂 \u2028";
  std::string text;
  append_json_string(text, all);
  EXPECT_EQ(nlohmann::json::parse(text).get<std::string>(), all);
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(JsonString, EscapesOnlyWhatItMust) {
  std::string text;
  append_json_string(text, "a\"b\\c/注\n\x01");
  EXPECT_EQ(text, R"("a\"b\\c/注\n\u0001")");
}

TEST(JsonString, TextThatIsNotUtf8IsAMistakeOfTheProgram) {
  std::string text;
  EXPECT_THROW(append_json_string(text, "\xFF"), std::logic_error);
}

TEST(ParseInteger, TakesBackWhatAppendNumberWrites) {
  std::mt19937_64 generator(5);
  for (int i = 0; i < 10000; ++i) {
    const auto value = random_bits<int64_t>(generator);
    ASSERT_EQ(parse_integer(text_of(value)), value);
  }
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(parse_integer("007"), 7);
}

TEST(ParseInteger, TakesDigitsAndAMinusAndNothingElse) {
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "1,000", "--1", "one",
                           "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(IntegerWanted, NamesOnlyTheEndsThatThereAre) {
  EXPECT_EQ(integer_wanted(-1, 64), "an integer from -1 to 64");
  EXPECT_EQ(integer_wanted(1, INT64_MAX), "an integer of at least 1");
  EXPECT_EQ(integer_wanted(INT64_MIN, 0), "an integer of at most 0");
  EXPECT_EQ(integer_wanted(INT64_MIN, INT64_MAX), "an integer");
}

TEST(Fixed, RoundsAsPrintf) {
  std::mt19937_64 generator(4);
  std::uniform_real_distribution<double> uniform(-1000, 1000);
  for (int i = 0; i < 10000; ++i) {
    const double value = uniform(generator);
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.3f", value);
    ASSERT_EQ(fixed(value, 3), expected);
  }
  EXPECT_EQ(fixed(2.5, 0), "2");
  EXPECT_EQ(fixed(std::numeric_limits<double>::max(), 2).size(), 312u);  // 309 digits and ".00"
}

TEST(Fixed, NoNegativeZero) {
  EXPECT_EQ(fixed(-0.00001, 4), "0.0000");
  EXPECT_EQ(fixed(-0.4, 0), "0");
  EXPECT_EQ(fixed(-0.0001, 4), "-0.0001");
}

TEST(Fixed, NonFiniteNumbersHaveNames) {
  EXPECT_EQ(fixed(std::nan(""), 4), "NaN");
  EXPECT_EQ(fixed(INFINITY, 4), "Infinity");
  EXPECT_EQ(significant(-INFINITY, 3), "-Infinity");
}

TEST(Significant, IsPrintfsG) {
  for (const double value : {0.00001234567, 0.0001, 123456.789, 1e-300, 100.0, -2.5, 0.0}) {
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.3g", value);
    EXPECT_EQ(significant(value, 3), expected);
  }
}

}  // namespace
}  // namespace qkvlab
