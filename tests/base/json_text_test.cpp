#include "base/json_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace qkvlab {
namespace {

std::string rewritten(const std::string& text) { return json_text(parse_json(text, "x")); }

TEST(JsonText, IsTheValueWithoutBlanks) {
  const std::string text =
      R"({ "b" : [1, -2.5, 1e-9, "a\"字\n"], "a": {"c": null, "d": true, "e": false}, "f": [] })";
  EXPECT_EQ(rewritten(text),
            R"({"b":[1,-2.5,1e-09,"a\"字\n"],"a":{"c":null,"d":true,"e":false},"f":[]})");
  EXPECT_EQ(nlohmann::json::parse(rewritten(text)), nlohmann::json::parse(text));
}

TEST(JsonText, ANumberThatIsNoIntegerDoesNotBecomeOne) {
  EXPECT_EQ(rewritten("[3.0, 3, 3e0]"), "[3.0,3,3.0]");
  EXPECT_EQ(rewritten("1e300"), "1e+300");
}

}  // namespace
}  // namespace qkvlab
