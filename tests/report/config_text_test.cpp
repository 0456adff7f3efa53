#include "report/config_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

namespace qkvlab {
namespace {

TEST(ConfigText, IndentedJsonReadsBackAndKeepsLinesShort) {
  const std::string json =
      R"({"name":"a \"b\"","model":{"layers":[1,2,3],"attention":{"mode":"full","packed":false},)"
      R"("mlp":{"ratio":4.0,"activation":"gelu","hidden":null,"another":"some long text here"}},)"
      R"("empty":{},"none":[]})";
  const std::string text = indented_json(parse_json(json, "x"));
  EXPECT_EQ(json_text(parse_json(text, "x")), json);
  EXPECT_NE(text.find("\n  \"model\": {\n    \"layers\": [1,2,3],"), std::string::npos) << text;
  size_t longest = 0, begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  EXPECT_LE(longest, 100u);
}

TEST(ConfigText, DifferencesNameWhereConfigsDiffer) {
  const auto differences =
      config_differences({R"({"a":1,"b":{"c":"x","d":[1,2]},"e":null})",
                          R"({"a":1,"b":{"c":"y","d":[1,2]},"e":null,"f":{"g":2}})",
                          R"({"a":1,"b":{"c":"x","d":[1,3]},"e":null})"});
  ASSERT_EQ(differences.size(), 3u);
  EXPECT_EQ(differences[0].path, "b.c");
  EXPECT_EQ(differences[0].values, (std::vector<std::string>{"\"x\"", "\"y\"", "\"x\""}));
  EXPECT_EQ(differences[1].path, "b.d");
  EXPECT_EQ(differences[2].path, "f.g");
  EXPECT_EQ(differences[2].values, (std::vector<std::string>{"", "2", ""}));
  EXPECT_TRUE(config_differences({R"({"a":1})", R"({"a":1})"}).empty());
}

TEST(ConfigText, SeedsAreRanges) {
  EXPECT_EQ(ranges_of({3, 1, 2, 0}), "0..3");
  EXPECT_EQ(ranges_of({0, 1, 5, 7, 8, 9, 9}), "0,1,5,7..9");
  EXPECT_EQ(ranges_of({4}), "4");
  EXPECT_EQ(ranges_of({}), "");
  EXPECT_EQ(ranges_of({INT64_MAX}), std::to_string(INT64_MAX));
}

}  // namespace
}  // namespace qkvlab
