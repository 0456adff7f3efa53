#include "base/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

JsonValue parse(std::string_view text) { return parse_json(text, "x.json"); }

std::string parse_error(std::string_view text) {
  return user_error([&] { parse(text); });
}

TEST(Json, ReadsEveryKind) {
  const JsonValue json = parse(R"({"n": null, "b": true, "i": -3, "d": 0.5, "s": "注\u610f",
                                   "a": [1, [2]], "o": {}})");
  EXPECT_TRUE(json.at("n").is_null());
  EXPECT_TRUE(json.at("b").boolean());
  EXPECT_EQ(json.at("i").integer(), -3);
  EXPECT_EQ(json.at("d").number(), 0.5);
  EXPECT_EQ(json.at("s").string(), "注意");
  EXPECT_EQ(json.at("a").array().at(1).array().at(0).integer(), 2);
  EXPECT_TRUE(json.at("o").members().empty());
  EXPECT_EQ(json.find("missing"), nullptr);
}

TEST(Json, MembersKeepTheOrderOfTheText) {
  const JsonValue json = parse(R"({"z": 1, "a": 2, "m": 3})");
  std::string order;
  for (const auto& member : json.members()) order += member.first;
  EXPECT_EQ(order, "zam");
}

TEST(Json, EachValueKnowsItsLine) {
  const JsonValue json = parse("{\n\"a\": 1\n,\"b\": [\n2\n,\n3],\"c\":\r\n{}}\n");
  EXPECT_EQ(json.line(), 1);
  EXPECT_EQ(json.at("a").line(), 2);  // a number ends only with the newline after it
  EXPECT_EQ(json.at("b").line(), 3);
  EXPECT_EQ(json.at("b").array()[0].line(), 4);
  EXPECT_EQ(json.at("b").array()[1].line(), 6);
  EXPECT_EQ(json.at("c").line(), 7);
}

TEST(Json, TheFirstLineMayHaveAnyNumber) {
  EXPECT_EQ(user_error([] { parse_json("[1,\n2", "run.jsonl", 40); }),
            "run.jsonl:41: not JSON: unexpected end of input; expected ']'");
}

TEST(Json, EachValueKnowsItsPath) {
  const JsonValue json = parse(R"({"w_q": [1, 2, [3, {"x": [4]}]], "a": {"b": {"c": 5}}})");
  EXPECT_EQ(json.path(), "");
  EXPECT_EQ(json.at("w_q").path(), "w_q");
  EXPECT_EQ(json.at("w_q").array()[1].path(), "w_q[1]");
  EXPECT_EQ(json.at("w_q").array()[2].array()[0].path(), "w_q[2][0]");
  EXPECT_EQ(json.at("w_q").array()[2].array()[1].at("x").array()[0].path(), "w_q[2][1].x[0]");
  EXPECT_EQ(json.at("a").at("b").at("c").path(), "a.b.c");
  EXPECT_EQ(parse("[[7]]").array()[0].array()[0].path(), "[0][0]");
}

TEST(Json, ValuesOutliveTheTextAndTheTree) {
  std::vector<JsonValue> kept;
  {
    const std::string text = R"({"a": {"b": [1, 2]}})";
    const JsonValue json = parse(text);
    kept.push_back(json.at("a").at("b"));
    kept.push_back(json.at("a").at("b").array()[1]);
  }
  EXPECT_EQ(kept[0].path(), "a.b");
  EXPECT_EQ(user_error([&] { kept[1].string(); }),
            "x.json:1: a.b[1]: must be a string, got an integer");
}

TEST(Json, AnArrayOrObjectKnowsItsText) {
  const std::string text = R"( {"config": {"a": [1 , 2]} } )";
  const JsonValue json = parse(text);
  const auto text_of = [&](const JsonValue& value) {
    const auto [begin, end] = value.span();
    return text.substr(begin, end - begin);
  };
  EXPECT_EQ(text_of(json), R"({"config": {"a": [1 , 2]} })");
  EXPECT_EQ(text_of(json.at("config")), R"({"a": [1 , 2]})");
  EXPECT_EQ(text_of(json.at("config").at("a")), "[1 , 2]");
  EXPECT_THROW(json.at("config").at("a").array()[0].span(), std::logic_error);
}

TEST(Json, IntegersAreCheckedForTypeAndRange) {
  const JsonValue json =
      parse(R"({"n": 70, "f": 3.0, "e": 3e0, "s": "3", "big": 9223372036854775807,
                                   "small": -9223372036854775808, "beyond": 9223372036854775808})");
  EXPECT_EQ(json.at("n").integer(1, 70), 70);
  EXPECT_EQ(json.at("big").integer(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(json.at("small").integer(), std::numeric_limits<int64_t>::min());
  const auto error = [&](const char* key, int64_t low, int64_t high) {
    return user_error([&] { json.at(key).integer(low, high); });
  };
  EXPECT_EQ(error("n", 1, 64), "x.json:1: n: must be an integer from 1 to 64, got 70");
  EXPECT_EQ(error("n", 71, INT64_MAX), "x.json:1: n: must be an integer of at least 71, got 70");
  EXPECT_EQ(error("n", INT64_MIN, 0), "x.json:1: n: must be an integer of at most 0, got 70");
  EXPECT_EQ(error("f", INT64_MIN, INT64_MAX), "x.json:1: f: must be an integer, got 3.0");
  EXPECT_EQ(error("e", INT64_MIN, INT64_MAX), "x.json:1: e: must be an integer, got 3.0");
  EXPECT_EQ(error("s", INT64_MIN, INT64_MAX), "x.json:1: s: must be an integer, got a string");
  EXPECT_EQ(json.at("beyond").kind(), JsonValue::Kind::kNumber);
  EXPECT_EQ(json.at("beyond").number(), 9223372036854775808.0);
  error("beyond", INT64_MIN, INT64_MAX);
}

TEST(Json, NumbersTakeIntegersAndNothingElse) {
  EXPECT_EQ(parse("3").number(), 3.0);
  EXPECT_EQ(parse("18446744073709551616").number(), 18446744073709551616.0);
  EXPECT_EQ(parse("4.9e-324").number(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse("0e-999").number(), 0.0);
  EXPECT_TRUE(std::signbit(parse("-0.0").number()));
  EXPECT_EQ(user_error([] { parse("\"3\"").number(); }),
            "x.json:1: must be a number, got a string");
}

TEST(Json, Float32IsRoundedOnce) {
  // By way of a double this text gives the float next to it.
  const char* text = "7.038531e-26";
  ASSERT_NE(static_cast<float>(std::strtod(text, nullptr)), std::strtof(text, nullptr));
  EXPECT_EQ(parse(text).float32(), std::strtof(text, nullptr));
  EXPECT_EQ(parse("[16777217]").array()[0].float32(), 16777216.0f);
  EXPECT_EQ(parse("1e-45").float32(), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(parse("1e-60").float32(), 0.0f);
}

TEST(Json, Float32RefusesWhatItCannotHold) {
  EXPECT_EQ(user_error([] { parse("[1e39]").array()[0].float32(); }),
            "x.json:1: [0]: must be within the range of float32 (±3.4028235e38), got 1e+39");
}

TEST(Json, OneOfNamesTheNearest) {
  const std::vector<std::string> allowed = {"full", "uniform", "none"};
  EXPECT_EQ(parse("\"full\"").one_of("mode", allowed), "full");
  EXPECT_EQ(user_error([&] {
              parse(R"({"mode":
                                       "unifrm"})")
                  .at("mode")
                  .one_of("mode", allowed);
            }),
            "x.json:2: mode: unknown mode 'unifrm'; allowed: full, uniform or none; "
            "did you mean 'uniform'?");
}

TEST(Json, EachGetterRefusesTheOtherKinds) {
  EXPECT_EQ(user_error([] { parse("1").boolean(); }),
            "x.json:1: must be true or false, got an integer");
  EXPECT_EQ(user_error([] { parse("null").string(); }), "x.json:1: must be a string, got null");
  EXPECT_EQ(user_error([] { parse("{}").array(); }), "x.json:1: must be an array, got an object");
  EXPECT_EQ(user_error([] { parse("[]").find("a"); }), "x.json:1: must be an object, got an array");
  EXPECT_EQ(user_error([] { parse("0.5").members(); }),
            "x.json:1: must be an object, got a number");
  EXPECT_EQ(user_error([] { parse("true").refuse_unread_keys(); }),
            "x.json:1: must be an object, got a boolean");
}

TEST(Json, AMissingKeyIsNamedWithItsObject) {
  EXPECT_EQ(user_error([] { parse("{\"a\":\n{}}").at("a").at("kind"); }),
            "x.json:2: a: must have the key 'kind'");
}

TEST(Json, UnreadKeysAreRefusedWithTheNearestThatWasAskedFor) {
  const JsonValue json = parse("{\"model\": {\n\"d_model\": 8,\n\"n_head\": 2}}");
  const JsonValue& model = json.at("model");
  model.at("d_model");
  model.find("n_heads");  // asked for, though not there
  json.refuse_unread_keys();
  EXPECT_EQ(user_error([&] { model.refuse_unread_keys(); }),
            "x.json:3: model.n_head: unknown key 'n_head'; allowed: d_model or n_heads; "
            "did you mean 'n_heads'?");
}

TEST(Json, ATextWithoutLinesIsNamedWithoutThem) {
  const JsonValue json = parse_json(R"({"a": {"b": 1}})", "a.b=1", kNoLines);
  EXPECT_EQ(user_error([&] { json.at("a").at("b").string(); }),
            "a.b=1: a.b: must be a string, got an integer");
  EXPECT_EQ(user_error([] { parse_json("{", "x={", kNoLines); }),
            "x={: not JSON: unexpected end of input; expected string literal");
}

TEST(Json, AnObjectAroundAValueStandsWhereItStands) {
  const JsonValue json = parse("{\"o\": {\n\"a.b.c\": 1, \"d\": [1, 2]}}");
  const JsonValue object = json.at("o").at("a.b.c").within("c").within("b");
  EXPECT_EQ(object.at("b").at("c").integer(), 1);
  EXPECT_EQ(object.at("b").path(), "o.a.b");
  EXPECT_EQ(user_error([&] { object.at("b").at("d"); }), "x.json:2: o.a.b: must have the key 'd'");
  EXPECT_EQ(user_error([&] { object.at("b").at("c").boolean(); }),
            "x.json:2: o.a.b.c: must be true or false, got an integer");
  EXPECT_EQ(json.at("o").at("d").array().at(1).within("d").path(), "o");
  // It is asked for its members anew.
  const JsonValue around = json.at("o").within("unknown").within("x");
  around.find("y");
  EXPECT_NE(user_error([&] { around.refuse_unread_keys(); }), "");
}

TEST(Json, AComplaintAboutAMissingMemberNamesItWhereItWouldStand) {
  const JsonValue json = parse("{\"a\":\n{}}");
  EXPECT_EQ(user_error([&] { json.at("a").fail_below("b.c", "must be there"); }),
            "x.json:2: a.b.c: must be there");
  EXPECT_EQ(user_error([&] { json.fail_below("b", "must be there"); }),
            "x.json:1: b: must be there");
}

TEST(Json, AMemberThatIsPutInStandsWhereItWasRead) {
  JsonValue json = parse("{\"a\": 1,\n\"b\": 2}");
  const JsonValue other = parse_json("{\"c\":\n\n3}", "y.json");
  json.set_member("b", other.at("c"));
  json.set_member("d", other.at("c"));
  EXPECT_EQ(json.at("b").integer(), 3);
  EXPECT_EQ(user_error([&] { json.at("d").boolean(); }),
            "y.json:3: c: must be true or false, got an integer");
  json.remove_member("a");
  EXPECT_EQ(json.find("a"), nullptr);
  EXPECT_EQ(json.members().size(), 2U);
  json.become_empty_object();
  EXPECT_TRUE(json.members().empty());
}

TEST(Json, AnUnreadCopyKnowsNothingOfWhatWasAskedForAndStandsWhereItStood) {
  const JsonValue json = parse("{\"a\": {\"b\":\n[1, [2]], \"c\": null}}");
  json.at("a").at("b");
  json.at("a").find("d");
  const JsonValue copy = json.unread_copy("copy of ");
  EXPECT_EQ(user_error([&] { copy.at("a").refuse_unread_keys(); }),
            "copy of x.json:2: a.b: unknown key 'b'; allowed: none");
  EXPECT_EQ(user_error([&] { copy.at("a").at("b").array()[0].string(); }),
            "copy of x.json:2: a.b[0]: must be a string, got an integer");
  EXPECT_EQ(user_error([&] { copy.at("a").at("b").array()[1].array()[0].string(); }),
            "copy of x.json:2: a.b[1][0]: must be a string, got an integer");
  EXPECT_EQ(user_error([&] { json.at("a").refuse_unread_keys(); }),
            "x.json:2: a.c: unknown key 'c'; allowed: b or d");
}

TEST(Json, KeysAreNamedWithoutBeingRead) {
  const JsonValue json = parse(R"({"b": 1, "a": {}})");
  EXPECT_EQ(json.keys(), (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(json.at("a").keys().empty());
  EXPECT_TRUE(json.at("b").keys().empty());
  EXPECT_NO_THROW(json.refuse_unread_keys());
  EXPECT_NE(user_error([&] { parse(R"({"b": 1})").refuse_unread_keys(); }), "");
}

TEST(Json, LookingAtAMemberToChangeItIsNotReadingIt) {
  JsonValue json = parse(R"({"a": 1})");
  EXPECT_EQ(json.edit("a")->integer(), 1);
  EXPECT_EQ(json.edit("b"), nullptr);
  EXPECT_EQ(json.edit("a")->edit("b"), nullptr);
  EXPECT_NE(user_error([&] { json.refuse_unread_keys(); }).find("unknown key 'a'"),
            std::string::npos);
}

TEST(Json, CopiesOfAValueShareWhatWasAskedFor) {
  const JsonValue json = parse(R"({"depth": 1, "vocabulary": 2})");
  const JsonValue copy = json;
  json.at("depth");
  copy.find("heads");
  EXPECT_EQ(user_error([&] { json.refuse_unread_keys(); }),
            "x.json:1: vocabulary: unknown key 'vocabulary'; allowed: depth or heads");
  copy.at("vocabulary");
  EXPECT_NO_THROW(json.refuse_unread_keys());
}

TEST(Json, AskingForAMemberIsNotAskingForThatOfItsName) {
  const JsonValue json = parse(R"({"a": {"a": 1}})");
  json.at("a");
  json.refuse_unread_keys();
  user_error([&] { json.at("a").refuse_unread_keys(); });
}

TEST(Json, AskingForAllMembersLeavesNoneUnread) {
  const JsonValue json = parse(R"({"a": 1, "b": 2})");
  json.members();
  EXPECT_NO_THROW(json.refuse_unread_keys());
}

TEST(Json, DuplicateKeysNameTheKeyAndBothLines) {
  EXPECT_EQ(parse_error("{\"a\": {\"b\": 1,\n\"c\": 2,\n\"b\": 1}}"),
            "x.json:3: a.b: duplicate key 'b', already on line 1");
  EXPECT_NO_THROW(parse(R"({"a": {"a": [{"a": 1}, {"a": 2}]}})"));
}

TEST(Json, DepthHasALimit) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_NO_THROW(parse(nested(64)));
  EXPECT_NE(parse_error(nested(65)).find("must not be nested more than 64 levels deep"),
            std::string::npos);
  parse_error(std::string(1000000, '['));  // no stack overflow
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += "{\"a\":";
  parse_error(objects);
}

TEST(Json, NumbersOutsideTheRangeOfADoubleAreRefused) {
  EXPECT_EQ(parse_error("{\"lr\":\n1e999\n}"),
            "x.json:2: lr: must be within the range of a double (4.9e-324 to 1.8e308)");
  EXPECT_EQ(parse_error("[0, -1e309]"),
            "x.json:1: [1]: must be within the range of a double (4.9e-324 to 1.8e308)");
  EXPECT_EQ(parse_error("1e-400"),
            "x.json:1: must be within the range of a double (4.9e-324 to 1.8e308)");
}

TEST(Json, WhatIsNotJsonIsRefusedInOneLineOfOurOwn) {
  const struct {
    std::string_view text;
    const char* message;
  } cases[] = {
      {"", "x.json:1: is empty, must hold one JSON value"},
      {" \n\n", "x.json:1: is empty, must hold one JSON value"},
      {"[1]\n\n x", "x.json:3: must end after one JSON value"},
      {"{} {}", "x.json:1: must end after one JSON value"},
      {"{\"a\": 1,\n}", "x.json:2: not JSON: unexpected '}'; expected string literal"},
      {"[1,]", "x.json:1: not JSON: unexpected ']'; expected '[', '{', or a literal"},
      {"{\n\"a\" 1}", "x.json:2: not JSON: unexpected number literal; expected ':'"},
      {"{\"a\": 1\n\"b\": 2}", "x.json:2: not JSON: unexpected string literal; expected '}'"},
      {"[1,\n2", "x.json:2: not JSON: unexpected end of input; expected ']'"},
      {"[1,\n2\n", "x.json:2: not JSON: unexpected end of input; expected ']'"},
      {"{\"a\": NaN}", "x.json:1: not JSON: unexpected NaN"},
      {"[-Infinity]", "x.json:1: not JSON: invalid number; expected digit after '-'"},
      {"[nul]", "x.json:1: not JSON: unexpected nul"},
      {"{\"a\": True}", "x.json:1: not JSON: unexpected True"},
      {"[1, // one\n2]", "x.json:1: not JSON: unexpected /"},
      {"[1，2]", "x.json:1: not JSON: unexpected 1，2"},
      {"{'a': 1}", "x.json:1: not JSON: unexpected '"},
      {"\"abc", "x.json:1: not JSON: invalid string: missing closing quote"},
      {"\xEF\xBB\xBF{}", "x.json:1: must not start with a byte-order mark"},
      {std::string_view("[1]\0[2]", 7), "x.json:1: must not hold a NUL byte"},
      {std::string_view("[1]\0", 4), "x.json:1: must not hold a NUL byte"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(parse_error(text), message) << text;
}

/// A text with every construct.
const std::string kEveryConstruct =
    "{\"a\": [1.5e3, -2, true, null], \"b\": \"x\\u00e9\\n注\", \"c\": {}}";

void expect_own_words(const std::string& message) {
  EXPECT_EQ(message.rfind("x.json:1: ", 0), 0u) << message;
  EXPECT_EQ(message.find("json.exception"), std::string::npos) << message;
  EXPECT_EQ(message.find("last read"), std::string::npos) << message;
}

TEST(Json, NoBeginningOfATextIsOne) {
  EXPECT_NO_THROW(parse(kEveryConstruct));
  for (size_t i = 0; i < kEveryConstruct.size(); ++i) {
    expect_own_words(parse_error(kEveryConstruct.substr(0, i)));
  }
}

TEST(Json, NoMistakeIsReportedInTheParsersOwnWords) {
  int refused = 0;
  for (size_t i = 0; i < kEveryConstruct.size(); ++i) {
    try {
      parse(kEveryConstruct.substr(0, i) + kEveryConstruct.substr(i + 1));
    } catch (const UserError& error) {
      ++refused;
      expect_own_words(error.what());
    }
  }
  // The others lack a blank, a letter of a string or a digit of a number.
  EXPECT_EQ(refused, 43);
}

TEST(Json, ComplaintsDoNotQuoteTheWholeText) {
  EXPECT_LT(parse_error("[" + std::string(100000, 'x')).size(), 200u);
  EXPECT_LT(parse_error("[\"" + std::string(100000, 'x')).size(), 200u);
}

TEST(Json, FilesAreNamedAsTheUserNamedThem) {
  const TemporaryFolder folder;
  const std::string path = folder.write("c.json", "{\"a\":\n-}");
  EXPECT_EQ(user_error([&] { read_json_file(path); }),
            path + ":2: not JSON: invalid number; expected digit after '-'");
}

}  // namespace
}  // namespace qkvlab
