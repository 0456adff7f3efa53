#include "report/page_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace qkvlab {
namespace {

const std::string kMarkup = "</script><img src=x onerror=alert(1)><!-- & \"a\" 'b' \u2028\u2029";

TEST(PageText, NothingOfATextIsMarkup) {
  EXPECT_EQ(html_text("a<b>&\"c\" 'd'"), "a&lt;b&gt;&amp;&quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(html_text(kMarkup).find_first_of("<>\"'"), std::string::npos);
  EXPECT_EQ(html_text("我喜欢 🙂"), "我喜欢 🙂");
}

TEST(PageText, WhatMovesTextAboutIsReplaced) {
  // A right-to-left override, a NUL, an escape, a byte that is no UTF-8.
  EXPECT_EQ(html_text("a\u202Eb"), "a\uFFFDb");
  EXPECT_EQ(html_text(std::string_view("a\0b\x1B", 4)), "a\uFFFDb\uFFFD");
  EXPECT_EQ(html_text("\xFF"), "\uFFFD");
}

TEST(PageText, LinesStayLines) {
  EXPECT_EQ(html_lines("a\n<\n"), "a\n&lt;\n");
  EXPECT_EQ(html_lines(""), "");
  EXPECT_EQ(html_lines("\n\n"), "\n\n");
}

TEST(PageText, JsonInAScriptIsTheSameJsonAndCannotEndIt) {
  const nlohmann::json value = {{"token", kMarkup}, {"<!--", {1, 2.5}}};
  const std::string script = script_json(value.dump());
  EXPECT_EQ(script.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(script.find("\u2028"), std::string::npos);
  EXPECT_EQ(script.find("\u2029"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(script), value);
}

TEST(PageText, JsonWithoutSuchCharactersStaysAsItIs) {
  const std::string json = R"({"metric": "test.loss", "mean": [0.25, 1e-7], "注": null})";
  EXPECT_EQ(script_json(json), json);
}

// RFC 4648, section 10.
TEST(PageText, Base64IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xFB\xFF"), "+/8=");
}

TEST(PageText, HexadecimalDigitsAreBytes) {
  EXPECT_EQ(bytes_of_hex("00ff7A"), std::string("\0\xFF\x7A", 3));
  EXPECT_THROW(bytes_of_hex("0"), std::logic_error);
  EXPECT_THROW(bytes_of_hex("0g"), std::logic_error);
}

TEST(PageText, ShellWordsAreOneWord) {
  EXPECT_EQ(shell_word("full,uniform"), "full,uniform");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("注"), "'注'");
}

TEST(PageText, NumbersAreRoundedForPeopleAndExactForPrograms) {
  EXPECT_EQ(number_for_people(-0.041312345), "−0.04131");
  EXPECT_EQ(number_for_people(1e-7), "1e−07");
  EXPECT_EQ(number_for_people(INFINITY), "∞");
  EXPECT_EQ(number_for_people(-INFINITY), "−∞");
  EXPECT_EQ(number_for_people(NAN), "not a number");
  EXPECT_EQ(html_number(-0.041312345), "<data value=\"-0.041312345\">−0.04131</data>");
  EXPECT_EQ(html_number(0.5, "+0.5"), "<data value=\"0.5\">+0.5</data>");
  EXPECT_EQ(html_number(-INFINITY), "<data value=\"-Infinity\">−∞</data>");
}

}  // namespace
}  // namespace qkvlab
