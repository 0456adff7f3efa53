#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

TEST(Utf8, EveryCodePointSurvivesEncodingAndDecoding) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    append_code_point(text, c);
    size_t at = 0;
    ASSERT_EQ(next_code_point(text, at), c);
    ASSERT_EQ(at, text.size());
  }
}

TEST(Utf8, EncodesAsTheStandardsExamples) {
  // The examples of RFC 3629, section 7, and one code point of each length's end.
  std::string text;
  for (const char32_t c : {0x41, 0x2262, 0x0391, 0xD55C, 0x233B4, 0x7F, 0x7FF, 0xFFFF, 0x10FFFF}) {
    append_code_point(text, c);
  }
  EXPECT_EQ(text,
            "A\xE2\x89\xA2\xCE\x91\xED\x95\x9C\xF0\xA3\x8E\xB4\x7F\xDF\xBF\xEF\xBF\xBF"
            "\xF4\x8F\xBF\xBF");
}

TEST(Utf8, RefusesWhatTheStandardForbids) {
  const std::string_view forbidden[] = {
      "\x80",  // a continuation byte alone
      "\xC0\x80",
      "\xC1\xBF",          // overlong forms of one,
      "\xE0\x9F\xBF",      // two
      "\xF0\x8F\xBF\xBF",  // and three bytes
      "\xED\xA0\x80",
      "\xED\xBF\xBF",      // surrogates
      "\xF4\x90\x80\x80",  // beyond the last code point
      "\xF8\x88\x80\x80\x80",
      "\xFE",
      "\xFF",
      "\xE6\xB3",   // cut short by the end
      "\xE6\xB3 ",  // cut short by another character
  };
  for (const std::string_view text : forbidden) {
    size_t at = 0;
    EXPECT_EQ(next_code_point(text, at), std::nullopt);
    EXPECT_EQ(at, 0u);
    EXPECT_EQ(first_invalid_utf8("注a" + std::string(text)), 4u);
  }
}

TEST(Utf8, ValidTextHasNoInvalidByte) {
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("Q·Kᵀ 注意力 🙂"), std::nullopt);
}

TEST(Utf8, AppendingWhatIsNoCodePointIsAMistakeOfTheProgram) {
  std::string text;
  EXPECT_THROW(append_code_point(text, 0xD800), std::logic_error);
  EXPECT_THROW(append_code_point(text, 0x110000), std::logic_error);
}

}  // namespace
}  // namespace qkvlab
