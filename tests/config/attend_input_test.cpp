#include "config/attend_input.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

class AttendInputTest : public testing::Test {
 protected:
  AttendInput read(const std::string& json) {
    return read_attend_input(folder_.write("input.json", json));
  }
  /// The complaint without the folder: "input.json:1: …".
  std::string complaint(const std::string& json) {
    const std::string message = user_error([&] { read(json); });
    return message.substr(message.find("input.json"));
  }

  TemporaryFolder folder_;
};

TEST_F(AttendInputTest, ReadsProjectedInputWithAllOptions) {
  const AttendInput input = read(
      R"({"x": [[1, 0, 2], [0, 1, 3]], "w_q": [[1, 0, 0]], "w_k": [[0, 1, 0]],
          "w_v": [[1, 0, 0], [0, 1, 0]], "causal": true, "key_valid": [1, false], "scale": 0.5,
          "tokens": ["a", "b"]})");
  EXPECT_EQ(input.x->rows, 2);
  EXPECT_EQ(input.x->columns, 3);
  EXPECT_EQ(input.x->values, (std::vector<double>{1, 0, 2, 0, 1, 3}));
  EXPECT_TRUE(input.causal);
  EXPECT_EQ(input.key_valid, (std::vector<bool>{true, false}));
  EXPECT_EQ(input.scale, 0.5);
  EXPECT_EQ(input.tokens, (std::vector<std::string>{"a", "b"}));
}

TEST_F(AttendInputTest, ReadsCrossAttention) {
  const AttendInput input =
      read(R"({"q": [[1, 2]], "k": [[1, 2], [3, 4]], "v": [[1, 2, 3], [4, 5, 6]]})");
  EXPECT_EQ(input.queries(), 1);
  EXPECT_EQ(input.keys(), 2);
  EXPECT_EQ(input.v->columns, 3);
}

TEST_F(AttendInputTest, RefusesShapesThatDoNotFitAndSaysWhich) {
  const std::string x = R"({"x": [[1, 0], [0, 1]], "w_q": [[1, 0]], )";
  EXPECT_EQ(
      complaint(x + R"("w_k": [[1, 0, 0]], "w_v": [[1, 0]]})"),
      "input.json:1: w_k: must have 2 columns ([out, in], where in is the width of x), got 3");
  EXPECT_EQ(complaint(x + R"("w_k": [[1, 0], [0, 1]], "w_v": [[1, 0]]})"),
            "input.json:1: w_k: must have 1 row (as w_q: queries and keys are multiplied), got 2");
  EXPECT_EQ(complaint(R"({"q": [[1]], "k": [[1, 2]], "v": [[1]]})"),
            "input.json:1: k: must have 1 column (as q: queries and keys are multiplied), got 2");
  EXPECT_EQ(complaint(R"({"q": [[1]], "k": [[1], [2]], "v": [[1]]})"),
            "input.json:1: v: must have 2 rows (as k: one value per key), got 1");
  EXPECT_EQ(complaint("{\"q\": [[1, 2],\n[3]], \"k\": [[1]], \"v\": [[1]]}"),
            "input.json:2: q[1]: must hold 2 numbers like the rows before it, got 1");
}

TEST_F(AttendInputTest, RefusesEmptyMatrices) {
  EXPECT_EQ(complaint(R"({"q": [], "k": [[1]], "v": [[1]]})"),
            "input.json:1: q: must hold at least one row");
  EXPECT_EQ(complaint(R"({"q": [[]], "k": [[1]], "v": [[1]]})"),
            "input.json:1: q[0]: must hold at least one number");
}

TEST_F(AttendInputTest, RefusesOptionsThatDoNotFit) {
  const std::string qkv = R"({"q": [[1]], "k": [[1], [2]], "v": [[1], [2]], )";
  EXPECT_EQ(complaint(qkv + R"("key_valid": [1]})"),
            "input.json:1: key_valid: must hold one entry per key (2), got 1");
  EXPECT_EQ(complaint(qkv + R"("tokens": ["a", "b", "c"]})"),
            "input.json:1: tokens: must hold one entry per key (2), got 3");
  EXPECT_EQ(complaint(qkv + R"("key_valid": [1, 2]})"),
            "input.json:1: key_valid[1]: must be an integer from 0 to 1, got 2");
  EXPECT_EQ(complaint(qkv + R"("key_valid": [1, "x"]})"),
            "input.json:1: key_valid[1]: must be true, false, 1 or 0");
  EXPECT_NE(complaint(qkv + R"("causal": 1})").find("causal: must be"), std::string::npos);
}

TEST_F(AttendInputTest, RefusesMissingMixedAndMisspeltKeys) {
  EXPECT_EQ(complaint("{}"), "input.json:1: must hold x with w_q, w_k, w_v, or q, k, v");
  EXPECT_EQ(complaint(R"({"x": [[1]], "q": [[1]]})"),
            "input.json:1: must hold x with w_q, w_k, w_v, or q, k, v, not both");
  EXPECT_NE(complaint(R"({"x": [[1]], "w_q": [[1]], "w_k": [[1]], "w_v": [[1]], "casual": true})")
                .find("did you mean 'causal'?"),
            std::string::npos);
}

TEST_F(AttendInputTest, AMisspeltKeyIsNamedBeforeTheOneThatIsMissing) {
  EXPECT_NE(complaint(R"({"q": [[1]], "k": [[1]], "vv": [[1]]})").find("unknown key 'vv'"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"x": [[1]], "w_q": [[1]], "w_kk": [[1]], "w_v": [[1]]})")
                .find("did you mean 'w_k'?"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"q": [[1]], "k": [[1]], "v": [[1]], "w_q": [[1]]})").find("not both"),
            std::string::npos);
}

TEST_F(AttendInputTest, RefusesWidthsThatDoNotFitIntoMemory) {
  const std::string json = R"({"q": [[1, 2, 3]], "k": [[1, 2, 3]], "v": [[1]]})";
  const std::string path = folder_.write("input.json", json);
  Limits limits;
  limits.memory_mb = 0;
  const std::string message = user_error([&] { read_attend_input(path, limits); });
  EXPECT_NE(message.find("MB, allowed are at most 0"), std::string::npos) << message;
}

TEST_F(AttendInputTest, RefusesMoreTokensThanTheLimitBeforeAnythingElse) {
  std::string rows = "[[1]";
  for (int i = 1; i < 5; ++i) rows += ",[1]";
  rows += "]";
  const std::string path =
      folder_.write("input.json", R"({"q": [[1]], "k": )" + rows + R"(, "v": )" + rows + "}");
  Limits limits;
  limits.tokens_per_sequence = 4;
  const std::string message = user_error([&] { read_attend_input(path, limits); });
  EXPECT_NE(message.find("k: holds 5 tokens, allowed are at most 4"), std::string::npos) << message;
}

TEST_F(AttendInputTest, RefusesALargeFileBeforeItIsParsed) {
  const std::string path = folder_.write("input.json", "no JSON");
  std::filesystem::resize_file(path, kMaxAttendFileBytes + 1);
  EXPECT_EQ(user_error([&] { read_attend_input(path); }),
            path + ": must be no larger than 67108864 bytes");
}

}  // namespace
}  // namespace qkvlab
